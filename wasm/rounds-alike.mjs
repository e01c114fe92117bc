// Makes rounds that are written out compress well. Their locals get numbers that are the same in every round; only the words of
// the message cannot have that, since each round takes them in another order, so the text of a kernel has them apart
// (build.mjs). The instructions, and which value each of them takes, stay as they are.
import { GET, namesLocal, readCode, withBodies } from "./code.mjs";
import { valuesOf } from "./local-values.mjs";
import { requireSameValues } from "./same-values.mjs";

// Shorter functions have no rounds written out.
const LONG = 2000;
const isLong = ({ instructions }) => instructions.length > LONG;

// In instructions: a round has more than SHORTEST, and instructions are alike if so are the CONTEXT before them.
const SHORTEST = 200;
const CONTEXT = 16;

/** A number for each instruction, the same for those that are the same but for the numbers of locals. */
function kindsOf({ instructions }) {
  const numbers = new Map();
  return instructions.map((instruction) => {
    const kind = namesLocal(instruction) ? `${instruction.op}` : instruction.bytes.toString("hex");
    if (!numbers.has(kind)) numbers.set(kind, numbers.size);
    return numbers.get(kind);
  });
}

/** The distance at which the most instructions are the same. */
function roundLength(kinds) {
  let [best, most] = [0, 0];
  for (let distance = SHORTEST; distance < kinds.length / 2; distance++) {
    let count = 0;
    for (let at = distance; at < kinds.length; at++) if (kinds[at] === kinds[at - distance]) count++;
    if (count > most) [best, most] = [distance, count];
  }
  return best;
}

/** For each instruction, the one that is the same in the round before, or undefined. */
function counterparts(kinds) {
  const round = roundLength(kinds);
  let alike = 0;
  return kinds.map((kind, at) => {
    alike = kind === kinds[at - round] ? alike + 1 : 0;
    return alike > CONTEXT ? at - round : undefined;
  });
}

const lowest = (free) => (free.length > 0 ? Math.min(...free) : undefined);
const latest = (free) => free[0];
// How a value gets its local, of those that are free, the one named last first: that of its counterpart or else of the
// counterpart's; if none is free, one of `choose`, or (`apart`) a new one.
const POLICIES = [lowest, latest].flatMap((choose) => [false, true].map((apart) => ({ choose, apart })));

/** The body with its locals numbered anew. */
function numbered(body, { values, conflicts, ofParameters }, before, { choose, apart }) {
  const { instructions, parameters } = body;
  const types = body.locals.slice(0, parameters);
  const holders = ofParameters.map((value) => [value]);
  const localOf = new Map(ofParameters.map((value, local) => [value, local]));
  const recent = [...types.keys()];
  const locals = [];

  const free = (value, type) => {
    const others = conflicts.get(value) ?? new Set();
    return recent.filter((local) => types[local] === type && !holders[local].some((holder) => others.has(holder)));
  };
  const earlier = (at, among) => {
    for (let from = before[at]; from !== undefined; from = before[from]) {
      if (among.includes(locals[from])) return locals[from];
    }
    return undefined;
  };
  const add = (type) => {
    holders.push([]);
    return types.push(type) - 1;
  };
  const place = (at, value) => {
    const type = body.locals[instructions[at].index];
    const among = free(value, type);
    const local = earlier(at, among) ?? (apart && before[at] !== undefined ? undefined : choose(among)) ?? add(type);
    holders[local].push(value);
    localOf.set(value, local);
  };

  values.forEach((value, at) => {
    if (value === undefined) return;
    if (!localOf.has(value)) place(at, value);
    const local = localOf.get(value);
    locals[at] = local;
    if (recent.includes(local)) recent.splice(recent.indexOf(local), 1);
    recent.unshift(local);
  });
  return inOrderOfTypes({ ...body, locals: types }, locals);
}

/** Declared locals in runs of one type: a declaration has a few bytes for each. */
function inOrderOfTypes({ parameters, locals: types, instructions }, locals) {
  const declared = [...types.keys()].slice(parameters);
  const kinds = [...new Set(declared.map((local) => types[local]))];
  const order = [
    ...Array(parameters).keys(),
    ...kinds.flatMap((kind) => declared.filter((local) => types[local] === kind)),
  ];
  return {
    parameters,
    locals: order.map((local) => types[local]),
    instructions: instructions.map((instruction, at) =>
      locals[at] === undefined ? instruction : { ...instruction, index: order.indexOf(locals[at]) },
    ),
  };
}

// What a message's word is: assigned once, and read once in each round, but that a first read may need no local.
const [FEWEST_ROUNDS, MOST_ROUNDS] = [6, 12];
// It is no 32-bit integer: written out are BLAKE2b's scalars, and lanes.
const I32 = 0x7f;

/** Which instructions read a word of the message. */
function messageReads({ instructions, locals }, { values }) {
  const reads = new Map();
  const assignments = new Map();
  values.forEach((value, at) => {
    const uses = instructions[at].op === GET ? reads : assignments;
    if (value !== undefined) uses.set(value, [...(uses.get(value) ?? []), at]);
  });
  return [...reads.entries()].flatMap(([value, all]) => {
    const oncePerRound = all.length >= FEWEST_ROUNDS && all.length <= MOST_ROUNDS;
    const isWord = oncePerRound && assignments.get(value)?.length === 1 && locals[instructions[all[0]].index] !== I32;
    return isWord ? all : [];
  });
}

const RUN = 8;
/** How many different runs of bytes it has: the fewer, the shorter the text, compressed. */
function variety({ instructions }, words) {
  const text = instructions
    .map((instruction, at) => {
      if (!namesLocal(instruction)) return instruction.bytes.toString("latin1");
      return String.fromCharCode(instruction.op, words.has(at) ? 255 : instruction.index);
    })
    .join("");
  return new Set(Array.from(text, (_, at) => text.slice(at, at + RUN))).size;
}

function withRoundsAlike(body) {
  const values = valuesOf(body);
  const before = counterparts(kindsOf(body));
  const bodies = POLICIES.map((policy) => numbered(body, values, before, policy));
  const words = new Set(messageReads(body, values));
  const varieties = bodies.map((numbered) => variety(numbered, words));
  return bodies[varieties.indexOf(Math.min(...varieties))];
}

/**
 * The module with locals that are the same in all rounds.
 *
 * @throws Error if any function could compute anything else than before
 */
export function alike(bytes) {
  const { bodies } = readCode(bytes);
  const kernel = withBodies(
    bytes,
    bodies.map((body) => (isLong(body) ? withRoundsAlike(body) : body)),
  );
  readCode(kernel).bodies.forEach((body, i) => {
    requireSameValues(bodies[i], body);
  });
  return kernel;
}

/** Where in a module the numbers of the locals are that hold words of the message, wherever it reads one. */
export function messageWords(bytes) {
  const long = readCode(bytes).bodies.filter(isLong);
  const places = (body) => messageReads(body, valuesOf(body)).map((at) => body.instructions[at].at + 1);
  return long.flatMap(places).sort((a, b) => a - b);
}
