// A content script follows the policy of the page that is visited, which forbids WebAssembly.
import { blake2b, blake3 } from "blake-simd/javascript";
import { attempt } from "./attempt.mjs";
import { digests } from "./hello.mjs";

const javascript = { blake3: blake3.hex("hello"), blake2b: blake2b.hex("hello") };
chrome.runtime.sendMessage({ javascript, webassembly: attempt(digests) });
