// A content script follows the policy of the page that is visited, which forbids WebAssembly.
import { blake3 } from "blake-simd/javascript";
import { attempt } from "./hello.mjs";

chrome.runtime.sendMessage({ javascript: blake3.hex("hello"), webassembly: attempt() });
