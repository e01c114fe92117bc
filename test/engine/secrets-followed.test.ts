// The interpreter of `npm run taint` finds leaks that are planted in small modules, in scalars and in vectors, and nothing in a
// module without one.
import { expect, it } from "vitest";
import { findingIn, leaks } from "../../tools/taint/leaks.mjs";

it.each(Object.entries(leaks))("%s", (_, { code, found }) => {
  if (found === undefined) expect(findingIn(code)).toBeUndefined();
  else expect(findingIn(code)).toMatch(new RegExp(`${found}.* must not depend on a secret`));
});
