// Checks that two functions differ at most in the numbers of their locals, and that every read takes the same value. It
// follows which locals hold equal values, and shares nothing with local-values.mjs, whose mistakes it must find.
import {
  BLOCK,
  BRANCH,
  BRANCH_IF,
  BRANCH_TABLE,
  ELSE,
  END,
  GET,
  IF,
  LOOP,
  namesLocal,
  RETURN,
  UNREACHABLE,
} from "./code.mjs";

const bit = (local) => 1n << BigInt(local);

/** For each local of the first function those of the second that have its value, as bits: at the start, of a call. */
function atStart(first, second) {
  const zeros = (type) =>
    second.locals.reduce((bits, own, to) => (isZero(second, to) && own === type ? bits | bit(to) : bits), 0n);
  return first.locals.map((type, local) => (isZero(first, local) ? zeros(type) : bit(local)));
}

const isZero = ({ parameters }, local) => local >= parameters;

/** What holds on both ways; `undefined` is a way that nothing takes. */
function meet(a, b) {
  if (a === undefined || b === undefined) return a ?? b;
  return a.map((bits, local) => bits & b[local]);
}

const equal = (a, b) => a === b || (a !== undefined && b !== undefined && a.every((bits, local) => bits === b[local]));

/** The state after an assignment. */
function assigned(state, from, to) {
  const others = state.map((bits) => bits & ~bit(to));
  others[from] = bit(to);
  return others;
}

/** Goes through the instructions once, with what is known at the start of each loop; learns what comes back there. */
function pass(first, second, loops) {
  let state = atStart(first, second);
  let changed = false;
  const frames = [{}];
  const leave = (depth) => {
    const frame = frames.at(-1 - depth);
    if (frame.loop === undefined) frame.leaving = meet(frame.leaving, state);
    else learn(frame.loop);
  };
  const learn = (loop) => {
    const known = meet(loops.get(loop), state);
    changed ||= !equal(known, loops.get(loop));
    loops.set(loop, known);
  };
  first.instructions.forEach((instruction, at) => {
    const { op, index, labels } = instruction;
    const to = second.instructions[at].index;
    if (namesLocal(instruction)) {
      if (op !== GET) state &&= assigned(state, index, to);
      else if (state && !(state[index] & bit(to)))
        throw new Error(`instruction ${at} reads a local with another value`);
    } else if (op === BLOCK) frames.push({});
    else if (op === IF) frames.push({ otherwise: state });
    else if (op === LOOP) {
      learn(at);
      state = loops.get(at);
      frames.push({ loop: at });
    } else if (op === ELSE) {
      leave(0);
      state = frames.at(-1).otherwise;
      frames.at(-1).otherwise = undefined;
    } else if (op === END) {
      const { leaving, otherwise } = frames.pop();
      state = meet(meet(state, leaving), otherwise);
    } else if (op === BRANCH || op === BRANCH_IF) leave(index);
    else if (op === BRANCH_TABLE) labels.forEach(leave);
    if (op === BRANCH || op === BRANCH_TABLE || op === RETURN || op === UNREACHABLE) state = undefined;
  });
  return changed;
}

function requireSameInstructions(first, second) {
  const plain = (instruction) => (namesLocal(instruction) ? `${instruction.op}` : instruction.bytes.toString("hex"));
  const types = ({ parameters, locals }) => locals.slice(0, parameters).join();
  const same = (a, i) => plain(a) === plain(second.instructions[i]);
  const typed = (a, i) => !namesLocal(a) || first.locals[a.index] === second.locals[second.instructions[i].index];
  if (first.instructions.length !== second.instructions.length || !first.instructions.every(same))
    throw new Error("the instructions are others");
  if (types(first) !== types(second)) throw new Error("the parameters are others");
  if (!first.instructions.every(typed)) throw new Error("a local has another type");
}

/** @throws Error if a function could compute anything else than the other */
export function requireSameValues(first, second) {
  requireSameInstructions(first, second);
  const loops = new Map();
  while (pass(first, second, loops));
}
