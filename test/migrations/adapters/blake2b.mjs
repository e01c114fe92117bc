import { blake2b as ckb } from "@nervosnetwork/ckb-sdk-utils";
import blake2b from "blake2b";
import wasm from "blake2b-wasm";
import { bytes, LONG, oneOf, random } from "./random.mjs";

await wasm.ready();
// That of CKB has no constants.
const ckbWithConstants = Object.assign((...given) => ckb(...given), blake2b);
export const theirs = { blake2b, "blake2b-wasm": wasm, "@nervosnetwork/ckb-sdk-utils": ckbWithConstants };

export const apiOf = (adapter) => adapter.default;

export const calls = [
  (blake) => new Promise(blake.ready),
  (blake) => ["", "KEY"].flatMap((of) => ["_MIN", "", "_MAX"].map((end) => blake[`${of}BYTES${end}`])),
  (blake) => [blake.SALTBYTES, blake.PERSONALBYTES],
  (blake) => blake(5, Buffer.from("key"), null, null, true).update(LONG).digest(),
];

export const errors = [
  (blake) => blake(65, null, null, null),
  (blake) => blake(32, new Uint8Array(65), null, null),
  (blake) => blake(32, null, new Uint8Array(17), null),
  (blake) => blake(32, null, null, new Uint8Array(17)),
  ...["key", [1]].map((key) => (blake) => blake(32, key, null, null)),
  ...[null, undefined, 5, {}].map((input) => (blake) => blake(32, null, null, null).update(input)),
  ...[new Uint8Array(31), [], 5].map((output) => (blake) => blake(32, null, null, null).digest(output)),
];

export const draw = () => ({
  length: 16 + random(49),
  key: oneOf([null, bytes(16 + random(49))]),
  salt: oneOf([null, bytes(16)]),
  personal: oneOf([null, bytes(16), Buffer.from("ckb-default-hash")]),
});

export const hash = (blake, given, input) =>
  [undefined, "binary", "hex", new Uint8Array(given.length), Buffer.alloc(given.length + 3)].flatMap((output) => {
    const digest = open(blake, given).update(input).digest(output);
    return [digest, digest === output, open(blake, given).update(input).final("hex")];
  });

export const open = (blake, { length, key, salt, personal }) => blake(length, key, salt, personal);

export const forms = (piece) => [piece, new Uint8Array(piece)];
