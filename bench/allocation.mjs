// How many bytes of garbage a call leaves. Needs a runtime with gc() and node:process; elsewhere it is not told.

const repetitions = 5;

/** Bytes allocated per call, the least of several tries since a collection in between can only hide some. */
export async function allocationMeter() {
  const { memoryUsage } = await import("node:process").catch(() => ({}));
  if (!globalThis.gc || !memoryUsage) return () => undefined;
  const used = () => {
    const { heapUsed, arrayBuffers, external } = memoryUsage();
    return heapUsed + Math.max(arrayBuffers, external);
  };
  return (call, input, bytes) => {
    const times = bytes > 65_536 ? 1 : 64;
    const tries = Array.from({ length: repetitions }, () => growth(used, call, input, times));
    const idle = Array.from({ length: repetitions }, () => growth(used, () => {}, input, times));
    return Math.max(0, Math.round((Math.min(...tries) - Math.min(...idle)) / times));
  };
}

function growth(used, call, input, times) {
  globalThis.gc();
  const before = used();
  for (let index = 0; index < times; index++) call(input);
  return used() - before;
}
