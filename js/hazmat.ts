// `blake-simd/hazmat`: subtrees of BLAKE3.

export type { Xof } from "./engine/xof.js";
export type { ByteInput, Input } from "./input/bytes.js";
export { type CollectorOptions, SubtreeCollector } from "./subtrees/collector.js";
export {
  chainingValue,
  SubtreeGroupHasher,
  type SubtreeGroupOptions,
  SubtreeHasher,
  type SubtreeOptions,
} from "./subtrees/hasher.js";
export { type Part, partsOf } from "./subtrees/parts.js";
export * from "./subtrees/subtrees.js";
