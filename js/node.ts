// `blake-simd/node`: the manners of node:crypto, and hashes of files.
export * from "./node/node.js";
