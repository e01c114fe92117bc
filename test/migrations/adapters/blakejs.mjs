import blakejs from "blakejs";
import { bytes, oneOf, random, TEXTS } from "./random.mjs";

export const theirs = { blakejs };

export const calls = [
  (blake) => Object.keys(blake).sort(),
  ...TEXTS.map((text) => (blake) => [blake.blake2bHex(text), blake.blake2sHex(text, Buffer.from("key"), 5)]),
  (blake) => [
    blake.blake2b("abc"),
    blake.blake2s("abc"),
    blake.blake2b("abc", null, 0),
    blake.blake2b("abc", null, "20"),
  ],
  (blake) => blake.blake2bHex("abc", null, null, "salt of 16 bytes", "personalisation."),
];

export const errors = [
  ...[0, 65].map((length) => (blake) => blake.blake2bInit(length) && "a context"),
  ...[0, 33, -1, undefined].map((length) => (blake) => blake.blake2sInit(length) && "a context"),
  ...[65, -1].map((length) => (blake) => blake.blake2bHex("abc", null, length)),
  (blake) => blake.blake2b("abc", new Uint8Array(65)),
  ...[0, 33].map((length) => (blake) => blake.blake2s("abc", new Uint8Array(length))),
  (blake) => blake.blake2b("abc", null, 64, new Uint8Array(17)),
  (blake) => blake.blake2b("abc", null, 64, null, new Uint8Array(17)),
  ...[null, undefined, 5, {}, [1, 2]].map((input) => (blake) => blake.blake2b(input)),
];

export function draw() {
  const [name, most] = oneOf([
    ["blake2b", 64],
    ["blake2s", 32],
  ]);
  const salts = name === "blake2b" ? [oneOf([null, bytes(16)]), oneOf([undefined, bytes(16)])] : [];
  return { name, key: oneOf([null, undefined, bytes(1 + random(most))]), length: oneOf([32, 1 + random(most)]), salts };
}

export const hash = (blake, { name, key, length, salts }, input) => [
  blake[name](input, key, length, ...salts),
  blake[`${name}Hex`](input, key, length, ...salts),
];

export function open(blake, { name, key, length, salts }) {
  const context = blake[`${name}Init`](length, key, ...salts);
  return {
    update: (piece) => blake[`${name}Update`](context, piece),
    digest: () => blake[`${name}Final`](context),
  };
}

export const forms = (piece) => [piece, new Uint8Array(piece), new Uint16Array(piece), [...piece]];
