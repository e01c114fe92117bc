const { blake2b, blake3, toHex } = require("blake-simd");

console.log(JSON.stringify({ blake3: toHex(blake3("hello")), blake2b: toHex(blake2b("hello")) }));
