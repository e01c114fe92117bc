// Hashes cases one after the other in any engine, and posts their digests, many at a time.
import { caseOf } from "./cases.mjs";
import { digestOf } from "./digest-of.mjs";

const BATCH = 1 << 20;
const MOST_CASES = 2000;

async function post(url, body) {
  const response = await fetch(url, { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
}

function joined(parts, size) {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function hashCase(entries, seed, number) {
  try {
    return digestOf(entries, caseOf(seed, number));
  } catch (error) {
    throw new Error(`case ${number}: ${error}`, { cause: error });
  }
}

async function postDigests(entries, { seed, count, url }) {
  let [parts, size] = [[], 0];
  for (let number = 0; number < count; number++) {
    const digest = hashCase(entries, seed, number);
    parts.push(digest);
    size += digest.length;
    if (size < BATCH && parts.length < MOST_CASES && number < count - 1) continue;
    await post(`${url}/digests`, joined(parts, size));
    [parts, size] = [[], 0];
  }
}

/** Posts what went wrong too: a page has no other way to say it. */
export async function runCases(entries, request) {
  try {
    await postDigests(entries, request);
    await post(`${request.url}/end`, "");
  } catch (error) {
    await post(`${request.url}/failed`, `${error}\n${error.stack}`);
  }
}
