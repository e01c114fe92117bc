// Draws what the worker measures, as it comes.
const element = (id) => document.getElementById(id);
const [status, bars, result, start, copy] = ["status", "bars", "result", "start", "copy"].map(element);
let worker;

const cell = (tag, text, className = "") =>
  Object.assign(document.createElement(tag), { textContent: text, className });

function draw(packages) {
  const fastest = Math.max(...packages.map(({ rate }) => rate));
  const rows = [...packages]
    .sort((a, b) => b.rate - a.rate)
    .flatMap(({ name, rate }) => {
      const isOwn = name === "blake-simd";
      const bar = cell("div", "", isOwn ? "bar own" : "bar");
      bar.style.width = `${(100 * rate) / fastest}%`;
      bar.setAttribute("aria-hidden", "true");
      return [cell(isOwn ? "b" : "span", name), bar, cell("span", `${rate.toFixed(rate < 100 ? 1 : 0)} MB/s`)];
    });
  bars.replaceChildren(...rows);
}

function asText({ algorithm, size, packages, refused }) {
  const lines = [...packages]
    .sort((a, b) => b.rate - a.rate)
    .map(({ name, rate }) => `${name.padEnd(16)}${rate.toFixed(1).padStart(9)} MB/s`);
  const left = refused.map((name) => `${name}: wrong digest, left out`);
  return [`${algorithm}, ${size} bytes`, ...lines, ...left, navigator.userAgent].join("\n");
}

function show({ data }) {
  if (data.error) {
    status.textContent = data.error;
    start.disabled = false;
    return;
  }
  draw(data.packages);
  status.textContent = data.done
    ? `Done: ${data.rounds} rounds, every digest was right.`
    : `Round ${data.round} of ${data.rounds}`;
  if (data.done && data.refused.length > 0) status.textContent = `Done; wrong digests: ${data.refused.join(", ")}`;
  if (!data.done) return;
  result.value = asText(data);
  start.disabled = false;
  copy.disabled = false;
}

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  start.disabled = true;
  copy.disabled = true;
  status.textContent = "Starting";
  if (!worker) {
    worker = new Worker(new URL("benchmark-worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", show);
    worker.addEventListener("error", ({ message }) =>
      show({ data: { error: message || "The worker could not start." } }),
    );
  }
  const [algorithm, size, rounds] = ["algorithm", "size", "rounds"].map((id) => element(id).value);
  worker.postMessage({ algorithm, size: Number(size), rounds: Number(rounds) });
});

copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(result.value);
    element("copied").textContent = "Copied.";
  } catch {
    result.select();
    element("copied").textContent = "Selected: press Ctrl+C.";
  }
});
