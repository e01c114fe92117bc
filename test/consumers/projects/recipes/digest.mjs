// The right digests, in hexadecimal.
import { blake3 } from "@noble/hashes/blake3.js";
import { bytesToHex } from "@noble/hashes/utils.js";

export const digestOf = (message, dkLen = 32) => bytesToHex(blake3(Buffer.from(message), { dkLen }));
