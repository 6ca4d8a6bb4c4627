// Adds a link to the same page in the other language, which has the same name.
{
    const isChinese = document.documentElement.lang.startsWith("zh");
    const [folder, lang, text] = isChinese ? ["en", "en", "English"] : ["zh", "zh-CN", "中文"];
    const link = document.createElement("a");
    link.className = "icon-button other-language";
    link.href = `../${folder}/${location.pathname.split("/").pop() || "index.html"}`;
    link.lang = link.hreflang = lang;
    link.textContent = text;
    document.querySelector(".right-buttons")?.prepend(link);
}
