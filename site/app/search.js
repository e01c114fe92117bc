// Searches all pages. The index, which pagefind makes when the site is built, is loaded with the first search.
const { base } = document.documentElement.dataset;
let index;

const loadIndex = () => {
  index ??= import(new URL(`${base}/pagefind/pagefind.js`, location.href).href);
  return index;
};

const create = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** How well a part of a page matches. */
const scoreOf = ({ weighted_locations: found }) => found.reduce((sum, { balanced_score: score }) => sum + score, 0);

/** The headings of a page with the words, the best first, after its title; excerpts are HTML with the words marked. */
function hit({ url, meta, excerpt, sub_results: parts }) {
  const sorted = parts.filter((part) => part.url.includes("#")).sort((a, b) => scoreOf(b) - scoreOf(a));
  const headings = sorted.slice(0, 3);
  const links = headings.map((part) => create("a", { href: part.url, textContent: part.title }));
  return create(
    "li",
    {},
    create("a", { href: url, textContent: meta.title }),
    create("p", { innerHTML: excerpt }),
    create("div", { className: "parts" }, ...links),
  );
}

/**
 * Whether each word begins a word of the page, as "migrate" does "migrating". The index also finds only its first
 * letters.
 */
function hasWords({ content, meta }, words) {
  const text = `${meta.title} ${content}`.toLowerCase();
  const wanted = words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const stem = (word) => word.replace(/(?<=.{4})(?:e|ing)$/, "");
  return wanted.every((word) => new RegExp(`(?<![\\p{L}\\p{N}])${stem(word)}`, "u").test(text));
}

async function find(words, list, status) {
  if (words.trim() === "") {
    list.replaceChildren();
    status.textContent = "";
    return;
  }
  const { debouncedSearch } = await loadIndex();
  const found = await debouncedSearch(words, {}, 100);
  // Another letter was typed meanwhile.
  if (found === null) return;
  const loaded = await Promise.all(found.results.map((result) => result.data()));
  const pages = loaded.filter((page) => hasWords(page, words));
  list.replaceChildren(...pages.map(hit));
  const count = pages.length;
  status.textContent = count === 0 ? "Nothing found." : `${count} ${count === 1 ? "page" : "pages"}`;
}

/** A field and what it finds. */
function searchBox() {
  const field = create("input", { type: "search", autocomplete: "off", spellcheck: false });
  const list = create("ol", { className: "hits" });
  const status = create("p", { className: "faint" });
  status.setAttribute("role", "status");
  const search = () =>
    find(field.value, list, status).catch(() => {
      index = undefined;
      status.textContent = "The search index could not be loaded.";
    });
  field.addEventListener("input", search);
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") list.querySelector("a")?.click();
  });
  return create("div", { className: "search" }, create("label", { textContent: "Search " }, field), status, list);
}

let dialog;

export function openSearch() {
  if (!dialog) {
    const close = create("button", { type: "button", textContent: "Close" });
    dialog = create("dialog", {}, searchBox(), close);
    dialog.setAttribute("aria-label", "Search");
    close.addEventListener("click", () => dialog.close());
    // A link to another part of this page leaves the dialog open otherwise.
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog || target.closest("a")) dialog.close();
    });
    document.body.append(dialog);
  }
  dialog.showModal();
  dialog.querySelector("input").select();
}
