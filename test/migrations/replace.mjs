// Loaded before a program, its workers included: node:crypto creates this package's hashes where there is one of that
// name.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { createHash, getHashes } from "blake-simd/node";

const { createHash: createOther, getHashes: getOthers } = crypto;
const names = getHashes();
crypto.createHash = (...given) => (names.includes(given[0]) ? createHash : createOther)(...given);
crypto.getHashes = () => [...new Set([...names, ...getOthers()])];
syncBuiltinESMExports();
