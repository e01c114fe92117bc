// The values of a function's locals: what is assigned, and read from there on. A local may have several one after the other.
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

/** Which instructions may come after each one. */
function successors(instructions) {
  const next = instructions.map((_, at) => [at + 1]);
  const frames = [{ leaving: [] }];
  const branch = (at, depth) => {
    const frame = frames.at(-1 - depth);
    if (frame.loop === undefined) frame.leaving.push(at);
    else next[at].push(frame.loop);
  };
  instructions.forEach(({ op, index, labels }, at) => {
    if (op === BRANCH || op === BRANCH_TABLE || op === RETURN || op === UNREACHABLE || op === ELSE) next[at] = [];
    if (op === BLOCK || op === LOOP || op === IF) {
      frames.push({ leaving: [], loop: op === LOOP ? at : undefined, condition: op === IF ? at : undefined });
    } else if (op === ELSE) {
      const frame = frames.at(-1);
      next[frame.condition].push(at + 1);
      frame.condition = undefined;
      frame.leaving.push(at);
    } else if (op === END) {
      const { leaving, condition } = frames.pop();
      for (const from of leaving) next[from].push(at);
      if (condition !== undefined) next[condition].push(at);
    } else if (op === BRANCH || op === BRANCH_IF) branch(at, index);
    else if (op === BRANCH_TABLE) for (const label of labels) branch(at, label);
    else if (op === RETURN) branch(at, frames.length - 1);
  });
  next[instructions.length - 1] = [];
  return next;
}

const bit = (local) => 1n << BigInt(local);

/** The locals that are read later, before and after each instruction, as bits. */
function liveness(instructions, next) {
  const before = Array(instructions.length).fill(0n);
  const after = (at) => next[at].reduce((bits, to) => bits | before[to], 0n);
  for (let changed = true; changed; ) {
    changed = false;
    for (let at = instructions.length - 1; at >= 0; at--) {
      const { op, index } = instructions[at];
      let bits = after(at);
      if (namesLocal(instructions[at])) bits = op === GET ? bits | bit(index) : bits & ~bit(index);
      changed ||= bits !== before[at];
      before[at] = bits;
    }
  }
  return { before, after };
}

/** Disjoint sets of numbers, each known by one of them. */
class Sets {
  #parents = [];

  add() {
    return this.#parents.push(this.#parents.length) - 1;
  }

  find(member) {
    let root = member;
    while (this.#parents[root] !== root) root = this.#parents[root] = this.#parents[this.#parents[root]];
    return root;
  }

  unite(a, b) {
    this.#parents[this.find(a)] = this.find(b);
  }
}

/**
 * @param {import("./code.mjs").Body} body
 * @returns what each instruction reads or assigns; which values cannot share a local; those of the parameters
 */
export function valuesOf({ parameters, locals, instructions }) {
  const next = successors(instructions);
  const { before, after } = liveness(instructions, next);
  const numbers = [...locals.keys()];
  const within = (bits) => numbers.filter((local) => bits & bit(local));
  const sets = new Sets();
  const fresh = () => numbers.map(() => sets.add());

  // A value for each local wherever ways meet; those that are read there are then the ones that come in.
  const entries = next.map(() => 0);
  for (const [at, targets] of next.entries()) for (const to of targets) entries[to] += to === at + 1 ? 1 : 2;
  const meeting = new Map(instructions.flatMap((_, at) => (at === 0 || entries[at] !== 1 ? [[at, fresh()]] : [])));
  const states = [];
  const assigned = [];
  let state = [];
  instructions.forEach((instruction, at) => {
    state = meeting.get(at) ?? state;
    states[at] = state;
    if (namesLocal(instruction) && instruction.op !== GET) {
      assigned[at] = sets.add();
      state = state.with(instruction.index, assigned[at]);
    }
    for (const to of next[at]) {
      for (const local of within(before[to])) if (meeting.has(to)) sets.unite(meeting.get(to)[local], state[local]);
    }
  });

  const value = (at) => sets.find(assigned[at] ?? states[at][instructions[at].index]);
  const values = instructions.map((instruction, at) => (namesLocal(instruction) ? value(at) : undefined));
  const conflicts = new Map();
  const conflict = (a, b) => {
    if (a === b) return;
    conflicts.set(a, (conflicts.get(a) ?? new Set()).add(b));
    conflicts.set(b, (conflicts.get(b) ?? new Set()).add(a));
  };
  const initial = meeting.get(0).map((set) => sets.find(set));
  const atStart = [...initial.slice(0, parameters), ...within(before[0]).map((local) => initial[local])];
  for (const a of atStart) for (const b of atStart) conflict(a, b);
  instructions.forEach((_, at) => {
    if (assigned[at] === undefined) return;
    for (const local of within(after(at))) {
      if (local !== instructions[at].index) conflict(values[at], sets.find(states[at][local]));
    }
  });
  return { values, conflicts, ofParameters: initial.slice(0, parameters) };
}
