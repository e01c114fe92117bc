// A mutant: what takes the place of what in a source, and what it is called.

export function mutant(file, number, line, at, from, to) {
  return { file, number, at, from, to, line: line.trim().slice(0, 90) };
}

/** Adds what mutants are called in results: without the number of the line, so that results outlive changes of other lines. */
export function identify(mutants) {
  const counts = new Map();
  return mutants.map((mutant) => {
    const name = `${mutant.file}: ${describe(mutant)}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { ...mutant, occurrence: count, id: count > 1 ? `${name} #${count}` : name };
  });
}

const describe = ({ line, from, to }) => `${line} [${from.trim()} -> ${to.trim() || "nothing"}]`;

/** A mutant with its line's number, for people. */
export const placeOf = (mutant) => `${mutant.file}:${mutant.number}: ${describe(mutant)}`;

/** Whether an entry of equivalent.json is about a mutant: about all with the same text, or about one `occurrence` of it. */
export const isReasonFor = (mutant, { file, line, from, to, occurrence }) =>
  mutant.file === file &&
  mutant.line === line &&
  mutant.from.trim() === from &&
  mutant.to.trim() === to &&
  (occurrence === undefined || mutant.occurrence === occurrence);
