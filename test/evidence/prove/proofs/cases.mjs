// Cases: combinations of values, all of them or a choice.
import { random } from "../machine/evaluate.mjs";
import { range } from "../specification.mjs";

const count = (lists) => Object.values(lists).reduce((product, list) => product * list.length, 1);

/** Combination number `index` of one value from each list. */
function combination(lists, index) {
  const chosen = {};
  for (const [name, list] of Object.entries(lists)) {
    chosen[name] = list[index % list.length];
    index = Math.floor(index / list.length);
  }
  return chosen;
}

/**
 * Draws combinations in which each value of a list comes as often as any other, and then the values in `ends` alone, in
 * turns.
 */
function drawing(lists, next, hasEnds) {
  const names = Object.keys(lists);
  const waiting = {};
  const draw = (name, kind, list) => {
    waiting[name + kind] ||= [];
    if (waiting[name + kind].length === 0) waiting[name + kind] = [...list];
    return waiting[name + kind].splice(next(waiting[name + kind].length), 1)[0];
  };
  let turn = 0;
  return () => {
    const isEnd = hasEnds && turn++ % 2 === 1;
    const from = (list) => (isEnd ? [list[0], list.at(-1)] : list);
    return Object.fromEntries(names.map((name) => [name, draw(name, isEnd, from(lists[name]))]));
  };
}

/**
 * All combinations of the values in `lists`, if there are no more than `most`. Otherwise so many: in one half each
 * value comes as often as any other, in the other half only the first and the last of each list. With each comes one
 * value from each list in `others`, so that it is allowed.
 */
export function choose({ lists, others = {}, isAllowed = () => true }, most, seed) {
  const next = random(seed);
  const other = drawing(others, next, false);
  if (count(lists) <= most) {
    const complete = (one) =>
      range(0, 20)
        .map(() => ({ ...one, ...other() }))
        .find(isAllowed);
    return range(0, count(lists)).flatMap((i) => complete(combination(lists, i)) ?? []);
  }
  const own = drawing(lists, next, Object.keys(lists).length > 1);
  const tries = range(0, 50 * most).values();
  const chosen = [];
  for (const _ of tries) {
    const one = { ...own(), ...other() };
    if (isAllowed(one)) chosen.push(one);
    if (chosen.length === most) break;
  }
  return chosen;
}
