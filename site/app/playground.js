// The playground: text or files in, digests out, with every algorithm and option.
import { algorithms, equal, fromHex } from "blake-simd";
import { digestOf } from "blake-simd/streams";
import { droppedFiles } from "./dropped-files.js";
import { encode } from "./encode.js";
import { optionsOf } from "./options.js";

const element = (id) => document.getElementById(id);
const [algorithmField, encodingField, expectedField] = ["algorithm", "encoding", "expected"].map(element);
const [textField, results, errorLine, progress, rate, stop] = [
  "text",
  "results",
  "error",
  "progress",
  "rate",
  "stop",
].map(element);

/** What is shown now: each message's name, and its digest once it is known. */
let shown = [];
/** Where the messages come from: the text, or files. */
let source = () => [{ name: "text", message: textField.value }];
let current = new AbortController();

for (const name of Object.keys(algorithms))
  algorithmField.add(new Option(name, name, name === "blake3", name === "blake3"));

function showFields() {
  const fields = optionsOf(algorithmField.value).map(({ name, label, hint, type }) => {
    const field = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { id: `option-${name}`, name, autocomplete: "off", spellcheck: false });
    if (type === "flag") input.type = "checkbox";
    else input.placeholder = hint;
    field.append(`${label} `, input);
    return field;
  });
  element("options").replaceChildren(...fields);
}

/** The options that are filled in, as the algorithm takes them. */
function readOptions() {
  const given = optionsOf(algorithmField.value).flatMap(({ name, type }) => {
    const input = element(`option-${name}`);
    if (type === "flag") return input.checked ? [[name, true]] : [];
    const value = input.value.trim();
    if (value === "") return [];
    if (type === "hex") return [[name, fromHex(value)]];
    return [[name, type === "text" ? input.value : type === "bigint" ? BigInt(value) : Number(value)]];
  });
  return Object.fromEntries(given);
}

/** Whether a digest is the one to compare with, which is in either encoding; undefined if there is none. */
function matches(digest) {
  const expected = expectedField.value.trim().replace(/^\w+-(?=[\w+/=]+$)/, "");
  if (expected === "") return undefined;
  if (/^[0-9a-f]*$/i.test(expected) && expected.length % 2 === 0) return equal(digest, fromHex(expected));
  return encode(digest, "base64url") === expected.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");
}

function line({ name, digest }) {
  const item = document.createElement("li");
  const title = document.createElement("div");
  title.textContent = name;
  if (!digest) {
    item.append(title);
    return item;
  }
  const value = document.createElement("div");
  value.className = "mono digest";
  value.textContent = encode(digest, encodingField.value);
  item.append(title, value);
  const isRight = matches(digest);
  if (isRight !== undefined) {
    const verdict = document.createElement("div");
    verdict.className = isRight ? "good verdict" : "bad verdict";
    verdict.textContent = isRight ? "The digest is the expected one." : "The digest is not the expected one.";
    item.append(verdict);
  }
  return item;
}

const show = () => results.replaceChildren(...shown.map(line));

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

async function run() {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  errorLine.textContent = "";
  rate.textContent = "";
  progress.value = 0;
  try {
    await hashAll(signal);
  } catch (error) {
    if (!signal.aborted) fail(error);
    else if (signal === current.signal) rate.textContent = "Stopped.";
  } finally {
    if (signal === current.signal) stop.disabled = true;
  }
}

/** Shows an error instead of digests, which would be those of other options. */
function fail(error) {
  errorLine.textContent = error.message;
  shown = [];
  show();
}

async function hashAll(signal) {
  const algorithm = algorithms[algorithmField.value];
  const options = readOptions();
  const messages = source();
  shown = messages.map(({ name }) => ({ name }));
  const isLarge = messages.some(({ message }) => message instanceof Blob);
  const total = messages.reduce((sum, { message }) => sum + (message.size ?? message.length), 0);
  const start = performance.now();
  let done = 0;
  stop.disabled = !isLarge;
  for (const [i, { message }] of messages.entries()) {
    const before = done;
    const onProgress = (bytes) => {
      done = before + bytes;
      const seconds = (performance.now() - start) / 1000;
      progress.value = total === 0 ? 1 : done / total;
      if (isLarge)
        rate.textContent = `${megabytes(done)} of ${megabytes(total)}, ${(done / 1e6 / seconds).toFixed(0)} MB/s`;
    };
    shown[i].digest = await digestOf(algorithm, message, { ...options, signal, onProgress });
    if (i % 50 === 0 || i === messages.length - 1) show();
  }
  progress.value = 1;
  show();
}

function hashFiles(files) {
  if (files.length === 0) return;
  source = () => files.map(({ name, file }) => ({ name, message: file }));
  run();
}

const chosen = (input) => [...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file }));

textField.addEventListener("input", () => {
  source = () => [{ name: "text", message: textField.value }];
  run();
});
algorithmField.addEventListener("change", () => {
  showFields();
  run();
});
element("options").addEventListener("input", run);
for (const field of [encodingField, expectedField]) field.addEventListener("input", show);
for (const id of ["files", "folder"]) element(id).addEventListener("change", ({ target }) => hashFiles(chosen(target)));
stop.addEventListener("click", () => current.abort());
element("form").addEventListener("submit", (event) => event.preventDefault());

const drop = element("drop");
for (const type of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", type === "dragover");
  });
}
drop.addEventListener("drop", async ({ dataTransfer }) => hashFiles(await droppedFiles(dataTransfer)));

showFields();
run();
