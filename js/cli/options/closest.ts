// Which known name was probably meant by an unknown one, in the command and on the site.

/** Returns the only name that `name` abbreviates, or the nearest by a letter or two, or one that it begins with. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const [abbreviated, ...more] = known.filter((each) => each.startsWith(name));
  if (abbreviated !== undefined && more.length === 0) return abbreviated;
  const near = (most: number): string | undefined =>
    known.find((each) => Math.abs(each.length - name.length) <= most && distance(each, name) <= most);
  return near(1) ?? near(2) ?? known.findLast((each) => name.startsWith(each));
}

/** The number of letters to insert, remove or replace in one name to get the other. */
function distance(one: string, other: string): number {
  let row = [...Array(other.length + 1).keys()];
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, each] of [...other].entries()) {
      const replaced = (row[j] as number) + (each === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}
