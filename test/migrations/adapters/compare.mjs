// Makes the same calls on a package and on its adapter. What they are is in a file for each page. It exports
//   theirs      the packages that the page's adapter stands for, by name
//   apiOf       what an adapter's module has in the place of a package; the module, unless said
//   calls       single calls of a package
//   errors      calls that throw or reject
//   draw        random arguments, for
//   hash        calls that hash at once, and
//   open        a hasher: update(piece), digest()
//   forms       what a piece of a message may be passed as
import assert from "node:assert/strict";
import { LONG, oneOf, pieces, random } from "./random.mjs";

const LENGTHS = [...Array(300).keys(), 1023, 1024, 1025, 2049, 4096, 16_385, 65_537, LONG.length];

/** What a call gives, in a form to compare. Errors have texts and classes of their own, but come in the same way. */
async function outcome(call) {
  let result;
  try {
    result = call();
  } catch {
    return { error: "at once" };
  }
  try {
    return plain(await result);
  } catch {
    return { error: "a rejection" };
  }
}

function plain(value) {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("hex") };
  return Array.isArray(value) ? value.map(plain) : value;
}

/** Hashers that are updated in turns, each with its arguments and the pieces of its message. */
function drawNeighbours({ draw, forms }) {
  const neighbours = Array.from({ length: 6 }, () => ({
    drawn: draw(),
    left: pieces().map((piece) => oneOf(forms(piece))),
  }));
  const updates = [];
  while (neighbours.some(({ left }) => left.length > 0)) {
    const i = random(neighbours.length);
    if (neighbours[i].left.length > 0) updates.push([i, neighbours[i].left.shift()]);
  }
  return { drawn: neighbours.map(({ drawn }) => drawn), updates };
}

async function digestsOf(api, open, { drawn, updates }) {
  const hashers = await Promise.all(drawn.map((given) => open(api, given)));
  for (const [i, piece] of updates) hashers[i].update(piece);
  return hashers.map((hasher) => hasher.digest());
}

/** @returns how many calls were compared: single ones, one for each length, and groups of hashers */
export async function compare({ calls, errors, draw, hash, open, forms }, theirs, ours) {
  let compared = 0;
  async function same(call, given = call) {
    const expected = await outcome(() => call(theirs));
    assert.equal(expected?.error !== undefined, errors.includes(call), inspect(given));
    assert.deepEqual(await outcome(() => call(ours)), expected, inspect(given));
    compared++;
  }
  for (const call of [...calls, ...errors]) await same(call);
  for (const length of LENGTHS) {
    const drawn = draw();
    await same((api) => hash(api, drawn, LONG.subarray(0, length)), { length, ...drawn });
  }
  for (let group = 0; group < 60; group++) {
    const neighbours = drawNeighbours({ draw, forms });
    await same((api) => digestsOf(api, open, neighbours), neighbours);
  }
  return compared;
}

const inspect = (value) => (typeof value === "function" ? String(value) : JSON.stringify(value, text)).slice(0, 1000);
const text = (_, value) => (typeof value === "bigint" ? String(value) : value);
