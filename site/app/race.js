// Runs the benchmark in a worker, and draws what it measures as it comes.
const cell = (tag, text, className = "") =>
  Object.assign(document.createElement(tag), { textContent: text, className });

const OWN = "blake-simd";
/** The fastest first, but this package before all others. */
const sorted = (packages) => [...packages].sort((a, b) => (b.name === OWN) - (a.name === OWN) || b.rate - a.rate);

function draw(packages, bars) {
  const fastest = Math.max(...packages.map(({ rate }) => rate));
  const rows = sorted(packages).flatMap(({ name, rate }) => {
    const bar = cell("div", "", name === OWN ? "bar own" : "bar");
    bar.style.width = `${(100 * rate) / fastest}%`;
    bar.setAttribute("aria-hidden", "true");
    return [cell(name === OWN ? "b" : "span", name), bar, cell("span", `${rate.toFixed(rate < 100 ? 1 : 0)} MB/s`)];
  });
  bars.replaceChildren(...rows);
}

/** How much faster or slower something is, in words. */
function compared(ratio, name) {
  const percent = Math.round(100 * Math.abs(ratio - 1));
  if (percent < 2) return `as fast as ${name}`;
  if (ratio < 1) return `${percent} % slower than ${name}`;
  return ratio < 1.5
    ? `${percent} % faster than ${name}`
    : `${ratio.toFixed(ratio < 10 ? 1 : 0)} times as fast as ${name}`;
}

/** How fast it is beside each other package. */
function comparison(packages) {
  const { rate: own } = packages.find(({ name }) => name === OWN);
  const others = sorted(packages).filter(({ name }) => name !== OWN);
  return `${OWN} is ${others.map(({ name, rate }) => compared(own / rate, name)).join(", ")}.`;
}

function statusOf({ done, round, rounds, packages, refused }) {
  if (!done) return `Round ${round} of ${rounds}`;
  const left = refused.length > 0 ? `Left out, since its digest was wrong: ${refused.join(", ")}.` : "";
  return [refused.includes(OWN) ? "" : comparison(packages), left || "Every digest was correct."].join(" ");
}

let worker;

/**
 * Resolves with the result, { algorithm, size, packages: [{ name, rate }], refused, backend }, or with undefined after
 * an error.
 */
export function race(job, bars, status) {
  worker ??= new Worker(new URL("benchmark-worker.js", import.meta.url), { type: "module" });
  status.textContent = "Starting";
  worker.postMessage(job);
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => {
      status.textContent = data.error ?? statusOf(data);
      if (data.packages) draw(data.packages, bars);
      if (data.done) resolve(data);
      if (data.error) resolve(undefined);
    };
    worker.onerror = ({ message }) => {
      status.textContent = message || "The worker could not start.";
      worker = undefined;
      resolve(undefined);
    };
  });
}

/** A result as lines to send to somebody. */
export function asText({ algorithm, size, packages, refused, backend }) {
  const lines = sorted(packages).map(({ name, rate }) => `${name.padEnd(16)}${rate.toFixed(1).padStart(9)} MB/s`);
  const left = refused.map((name) => `${name}: wrong digest, left out`);
  return [`${algorithm}, ${size} bytes, ${backend}`, ...lines, ...left, navigator.userAgent].join("\n");
}
