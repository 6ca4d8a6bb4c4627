
// mdBook's search splits text into words at spaces, which Chinese does not have. This one looks for the query anywhere in the
// text; the book is small enough for that. It is appended to the script of elasticlunr to be there before the first search.
elasticlunr.Index.prototype.search = function (query) {
    const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (const { id, title, breadcrumbs, body } of Object.values(this.documentStore.docs)) {
        const [head, text] = [title.toLowerCase(), body.toLowerCase()];
        if (!terms.every(term => head.includes(term) || text.includes(term))) continue;
        const weight = term => (head.includes(term) ? 100 : 0) + Math.min(text.split(term).length - 1, 10);
        const score = terms.reduce((sum, term) => sum + weight(term), 0);
        const places = terms.map(term => text.indexOf(term)).filter(place => place >= 0);
        const from = Math.max(0, Math.min(...places, text.length) - 30);
        let excerpt = (from > 0 ? "…" : "") + body.slice(from, from + 110);
        for (const term of terms) {
            // The list of results marks whole words only, so this makes it one.
            const escaped = term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
            excerpt = excerpt.replace(new RegExp(escaped, "gi"), " $& ");
        }
        found.push({ ref: id, score, doc: { id, title, breadcrumbs, body: excerpt } });
    }
    return found.sort((a, b) => b.score - a.score);
};
