// Numbers that cases are made of.
export const range = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
export const around = (...numbers) => numbers.flatMap((n) => [n - 1, n, n + 1]);
/** All of a list, or one of every so many. */
export const some = (list, every, isAll) => (isAll ? list : list.filter((_, i) => i % every === 0));
