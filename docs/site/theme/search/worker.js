// The search of the documentation site, in place of the theme's: Chinese has no spaces between words, so this one looks for
// each word of the query anywhere in a section. The site is small enough for that.
let sections = [];

async function load() {
  const index = await (await fetch("search_index.json")).json();
  sections = index.docs.map((doc) => ({ ...doc, lowerTitle: doc.title.toLowerCase(), lowerText: doc.text.toLowerCase() }));
  postMessage({ config: index.config });
  postMessage({ allowSearch: true });
}

function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const value = ({ lowerTitle, lowerText }) =>
    words.reduce((sum, word) => sum + (lowerTitle.includes(word) ? 100 : 0) + Math.min(lowerText.split(word).length - 1, 10), 0);
  const found = sections.filter(({ lowerTitle, lowerText }) => words.every((word) => lowerTitle.includes(word) || lowerText.includes(word)));
  found.sort((a, b) => value(b) - value(a));
  return found.slice(0, 50).map(({ location, title, text, lowerText }) => {
    const start = Math.max(0, lowerText.indexOf(words[0]) - 40);
    return { location, title, summary: (start > 0 ? "…" : "") + text.slice(start, start + 200) };
  });
}

onmessage = ({ data }) => {
  if (data.init) {
    load();
  } else if (data.query) {
    postMessage({ results: search(data.query) });
  }
};
