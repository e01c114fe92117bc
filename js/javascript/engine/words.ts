// The 32-bit words of a kernel's memory, which are little-endian as in WebAssembly. Typed arrays have the processor's
// order.

/** Whether the processor's order is little-endian. */
const isLittleEndian = () => new Uint8Array(new Int32Array([1]).buffer)[0] === 1;

/** Returns the words of a memory: an Int32Array, or what behaves like one where its byte order would be another. */
export function wordsOf(memory: ArrayBuffer): Int32Array {
  return isLittleEndian() ? new Int32Array(memory) : littleEndianWords(new DataView(memory));
}

// Slow: a kernel's code is made for an Int32Array, so that other processors pay nothing for these.
function littleEndianWords(view: DataView): Int32Array {
  return new Proxy({} as Int32Array, {
    get: (_, i) => view.getInt32(4 * Number(i), true),
    set(_, i, value) {
      view.setInt32(4 * Number(i), value, true);
      return true;
    },
  });
}
