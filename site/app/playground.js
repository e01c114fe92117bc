// The playground: text or files in, digests out, with every algorithm and option.
import { algorithms, fromHex } from "blake-simd";
import { digestOf } from "blake-simd/streams";
import { highlighted } from "../highlight.mjs";
import { codeOf } from "./code.js";
import { copyButton } from "./copy.js";
import { droppedFiles } from "./dropped-files.js";
import { encode } from "./encode.js";
import { parseExpected } from "./expected.js";
import { optionsOf } from "./options.js";
import { labelOf, summaryOf, verdictOf } from "./verdict.js";

const element = (id) => document.getElementById(id);
const create = (name, className, textContent = "") =>
  Object.assign(document.createElement(name), { className, textContent });
const [algorithmField, encodingField, expectedField, textField] = ["algorithm", "encoding", "expected", "text"].map(
  element,
);
const [results, progress, rate, work] = ["results", "progress", "rate", "work"].map(element);

/** Longer digests are folded: characters of their text. */
const LONG = 512;
/** Bytes of a digest that the page can show. */
const LONGEST = 1 << 20;

/** What is shown now: each message's name and algorithm, and its digest once it is known. */
let shown = [];
/** The files that are hashed; undefined for the text. */
let files;
/** The lines to compare with. */
let expected = [];
let current = new AbortController();

for (const name of Object.keys(algorithms))
  algorithmField.add(new Option(labelOf(name), name, name === "blake3", name === "blake3"));

const fields = () => (algorithmField.value === "all" ? [] : optionsOf(algorithmField.value));

function showFields() {
  const made = fields().map(({ name, label, hint, type }) => {
    const field = create("label", "", `${label} `);
    const input = Object.assign(document.createElement("input"), { id: `option-${name}`, name, autocomplete: "off" });
    if (type === "flag") input.type = "checkbox";
    else Object.assign(input, { placeholder: hint, spellcheck: false });
    const error = Object.assign(create("span", "bad"), { id: `error-${name}`, role: "alert" });
    input.setAttribute("aria-describedby", error.id);
    field.append(input, error);
    return field;
  });
  element("options").replaceChildren(...made);
  element("more").hidden = made.length === 0;
}

/** The options that are filled in, as { name, type, value }, the value as text. */
const filledIn = () =>
  fields().flatMap(({ name, type }) => {
    const input = element(`option-${name}`);
    if (type === "flag") return input.checked ? [{ name, type, value: "true" }] : [];
    const value = type === "text" ? input.value : input.value.trim();
    return value === "" ? [] : [{ name, type, value }];
  });

function parse({ type, value }) {
  if (type === "flag") return true;
  if (type === "text") return value;
  if (type === "hex") {
    if (/^([0-9a-f]{2})*$/i.test(value)) return fromHex(value);
    throw new Error("must be hexadecimal, two digits for each byte");
  }
  if (!/^\d+$/.test(value)) throw new Error("must be a whole number");
  return type === "bigint" ? BigInt(value) : Number(value);
}

/** The options as the algorithm takes them. An error is that of the first field which makes them wrong. */
function readOptions() {
  const options = {};
  for (const option of filledIn()) {
    try {
      options[option.name] = parse(option);
      if (options.length > LONGEST) throw new Error(`may be at most ${LONGEST} on this page`);
      algorithms[algorithmField.value].create(options).dispose();
    } catch (error) {
      const words = error.message.replace(/^[\w.]+: /, "").replace(new RegExp(`^${option.name} `), "");
      throw Object.assign(new Error(words), { field: option.name });
    }
  }
  return options;
}

/** Shows an error at its field instead of digests, which would be those of other options. */
function showError({ message, field }) {
  shown = [];
  element("code").textContent = "";
  show();
  if (field) {
    element("more").open = true;
    element(`option-${field}`).setAttribute("aria-invalid", "true");
  }
  element(field ? `error-${field}` : "error").textContent = message;
}

function clearErrors() {
  element("error").textContent = "";
  for (const { name } of fields()) {
    element(`error-${name}`).textContent = "";
    element(`option-${name}`).removeAttribute("aria-invalid");
  }
}

const comparison = () => ({ expected, isText: files === undefined, isAll: algorithmField.value === "all" });

function digestElement(digest) {
  const text = encode(digest, encodingField.value);
  const value = create("div", "mono digest", text);
  if (text.length <= LONG) return value;
  const folded = document.createElement("details");
  folded.append(create("summary", "mono", `${text.slice(0, 64)}… ${digest.length} bytes`), value);
  return folded;
}

function titleOf({ name, algorithm }) {
  if (algorithmField.value !== "all") return files === undefined ? "" : name;
  return `${labelOf(algorithm)} of ${files === undefined ? "the text" : name}`;
}

function item(each) {
  const made = document.createElement("li");
  made.append(create("div", "name", titleOf(each)));
  if (!each.digest) return made;
  const value = digestElement(each.digest);
  made.append(
    value,
    copyButton(() => encode(each.digest, encodingField.value), value),
  );
  const verdict = verdictOf(each, comparison());
  if (verdict) made.append(create("div", `${verdict.className} verdict`, verdict.text));
  return made;
}

function heading() {
  const label = algorithmField.value === "all" ? "All algorithms" : labelOf(algorithmField.value);
  const size = (bytes) => `${bytes.toLocaleString("en")} ${bytes === 1 ? "byte" : "bytes"}`;
  if (files === undefined) return `${label} of the text, ${size(new TextEncoder().encode(textField.value).length)}`;
  const total = size(files.reduce((sum, { file }) => sum + file.size, 0));
  return `${label} of ${files.length === 1 ? files[0].name : `${files.length} files`}, ${total}`;
}

const listed = () => shown.map(({ name, digest }) => `${encode(digest, "hex")}  ${name}\n`).join("");

function show() {
  element("hashed").textContent = heading();
  element("use-text").hidden = files === undefined;
  textField.classList.toggle("unused", files !== undefined);
  results.replaceChildren(...shown.map(item));
  const isList = files && shown.length > 1 && algorithmField.value !== "all" && shown.every(({ digest }) => digest);
  if (isList) results.prepend(copyButton(listed, results, "Copy as lines for b3sum -c or blakesum -c"));
  element("summary").textContent = summaryOf(shown, comparison());
}

function showChoice() {
  const [algorithm, encoding] = [algorithmField.value, encodingField.value];
  const given = filledIn();
  const code = codeOf({ algorithm, given, encoding, text: files === undefined ? textField.value : undefined });
  element("code").innerHTML = highlighted(code);
  const kept = given.filter(({ name }) => name !== "key").map(({ name, value }) => [name, value]);
  const link = `#${new URLSearchParams([["algorithm", algorithm], ["encoding", encoding], ...kept])}`;
  // Safari refuses more than a hundred changes in half a minute.
  if (location.hash !== link) history.replaceState(null, "", link);
}

/** Fills in the choices of the page's link. */
function readLink() {
  const choice = new URLSearchParams(location.hash.slice(1));
  const algorithm = choice.get("algorithm");
  if (algorithm === "all" || Object.hasOwn(algorithms, algorithm)) algorithmField.value = algorithm;
  const encoding = choice.get("encoding");
  if ([...encodingField.options].some(({ value }) => value === encoding)) encodingField.value = encoding;
  showFields();
  for (const { name, type } of fields()) {
    if (!choice.has(name) || name === "key") continue;
    element("more").open = true;
    if (type === "flag") element(`option-${name}`).checked = true;
    else element(`option-${name}`).value = choice.get(name);
  }
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

async function run() {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  clearErrors();
  rate.textContent = "";
  progress.value = 0;
  try {
    await hashAll(signal);
  } catch (error) {
    if (!signal.aborted) showError(error);
    else if (signal === current.signal) rate.textContent = "Stopped.";
  } finally {
    if (signal === current.signal) work.hidden = true;
  }
}

function jobs() {
  const chosen = algorithmField.value === "all" ? Object.keys(algorithms) : [algorithmField.value];
  const messages = files ?? [{ name: "text", file: new TextEncoder().encode(textField.value) }];
  return messages.flatMap(({ name, file }) => chosen.map((algorithm) => ({ name, algorithm, message: file })));
}

async function hashAll(signal) {
  const options = algorithmField.value === "all" ? {} : readOptions();
  showChoice();
  const all = jobs();
  shown = all.map(({ name, algorithm }) => ({ name, algorithm }));
  // The digests before were of something else.
  show();
  const total = all.reduce((sum, { message }) => sum + (message.size ?? message.length), 0);
  const start = performance.now();
  let done = 0;
  work.hidden = files === undefined;
  for (const [i, { algorithm, message }] of all.entries()) {
    const before = done;
    const onProgress = (bytes) => {
      done = before + bytes;
      const seconds = (performance.now() - start) / 1000;
      progress.value = total === 0 ? 1 : done / total;
      if (files)
        rate.textContent = `${megabytes(done)} of ${megabytes(total)}, ${(done / 1e6 / seconds).toFixed(0)} MB/s`;
    };
    shown[i].digest = await digestOf(algorithms[algorithm], message, { ...options, signal, onProgress });
    if (i % 50 === 0) show();
  }
  show();
}

function hashFiles(some) {
  if (some.length === 0) return;
  files = some;
  run();
}

function hashText() {
  files = undefined;
  for (const id of ["files", "folder"]) element(id).value = "";
  run();
}

function readExpected() {
  const error = element("expected-error");
  error.textContent = "";
  expectedField.removeAttribute("aria-invalid");
  try {
    expected = parseExpected(expectedField.value);
  } catch ({ message }) {
    expected = [];
    error.textContent = message;
    expectedField.setAttribute("aria-invalid", "true");
  }
  show();
}

const chosenIn = (input) => [...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file }));

textField.addEventListener("input", hashText);
algorithmField.addEventListener("change", () => {
  showFields();
  run();
});
element("options").addEventListener("input", run);
encodingField.addEventListener("input", () => {
  if (shown.length > 0) showChoice();
  show();
});
expectedField.addEventListener("input", readExpected);
for (const id of ["files", "folder"])
  element(id).addEventListener("change", ({ target }) => hashFiles(chosenIn(target)));
element("use-text").addEventListener("click", hashText);
element("stop").addEventListener("click", () => current.abort());
element("form").addEventListener("submit", (event) => event.preventDefault());
element("link").prepend(copyButton(() => location.href, element("code"), "Copy a link to this choice"));
addEventListener("hashchange", () => {
  readLink();
  run();
});

/** Text that is dragged goes where the browser puts it. */
const hasFiles = ({ dataTransfer }) => dataTransfer.types.includes("Files");

for (const type of ["dragover", "dragleave", "drop"]) {
  addEventListener(type, (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    // An event with a related target only moves between elements of the page.
    const isInside = type === "dragover" || (type === "dragleave" && event.relatedTarget !== null);
    document.body.classList.toggle("over", isInside);
  });
}
addEventListener("drop", async (event) => {
  if (!hasFiles(event)) return;
  const [list] = event.dataTransfer.files;
  if (!event.target.closest("#compare") || !list) return hashFiles(await droppedFiles(event.dataTransfer));
  expectedField.value = await list.text();
  readExpected();
});

readLink();
run();
