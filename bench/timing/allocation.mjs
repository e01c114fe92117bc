// How many bytes of garbage a call leaves. Needs V8, gc() and node:process; elsewhere it is not reported, since
// JavaScriptCore counts in larger units. Nor for long inputs, where a slow rival would take minutes.

const repetitions = 5;

/** Bytes allocated per call, the middle of several tries: a collection in between hides some, a compiler adds some. */
export async function allocationMeter() {
  const { memoryUsage, versions } = await import("node:process").catch(() => ({}));
  if (!globalThis.gc || !memoryUsage || versions.bun) return () => undefined;
  const used = () => {
    const { heapUsed, arrayBuffers, external } = memoryUsage();
    return heapUsed + Math.max(arrayBuffers, external);
  };
  return (call, input, bytes) => {
    if (bytes > 2 ** 20) return undefined;
    const times = bytes > 65_536 ? 8 : 256;
    const tries = Array.from({ length: repetitions }, () => growth(used, call, input, times));
    const idle = Array.from({ length: repetitions }, () => growth(used, () => {}, input, times));
    return Math.max(0, Math.round((middle(tries) - middle(idle)) / times));
  };
}

const middle = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

function growth(used, call, input, times) {
  globalThis.gc();
  const before = used();
  for (let index = 0; index < times; index++) call(input);
  return used() - before;
}
