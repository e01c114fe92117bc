// `blake-simd/typed`: updates by number.
export type { Hasher } from "./engine/hasher.js";
export {
  updateFloat32BE,
  updateFloat32LE,
  updateFloat64BE,
  updateFloat64LE,
  updateUint8,
  updateUint16BE,
  updateUint16LE,
  updateUint32BE,
  updateUint32LE,
  updateUint64BE,
  updateUint64LE,
} from "./engine/typed-updates.js";
