// Stands in for "vitest" in the tests that run in threads of their own (test-thread.mjs): the parts of Vitest that collect,
// run and expect, without its server, which takes most of the time of a short test.
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  addCustomEqualityTesters,
  chai,
  customMatchers,
  GLOBAL_EXPECT,
  getState,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from "@vitest/expect";
import { getCurrentTest } from "@vitest/runner";
import { restoreAllMocks, spyOn } from "@vitest/spy";

export {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  it,
  onTestFinished,
  startTests,
  suite,
  test,
} from "@vitest/runner";

const INTERVAL = 50;
const LONGEST = 1000;

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);

function createExpect() {
  const expected = (value, message) => {
    setState({ assertionCalls: getState(expected).assertionCalls + 1 }, expected);
    const assertion = chai.expect(value, message);
    const current = getCurrentTest();
    return current ? assertion.withTest(current) : assertion;
  };
  Object.assign(expected, chai.expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);
  expected.getState = () => getState(expected);
  expected.setState = (state) => setState(state, expected);
  expected.extend = (matchers) => chai.expect.extend(expected, matchers);
  expected.addEqualityTesters = addCustomEqualityTesters;
  setState({ assertionCalls: 0 }, expected);
  expected.extend(customMatchers);
  return expected;
}

export const expect = createExpect();
Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect, configurable: true });

/** Calls again until nothing is thrown, as Vitest's does without fake timers. */
async function waitFor(callback, { interval = INTERVAL, timeout = LONGEST } = {}) {
  const end = Date.now() + timeout;
  for (;;) {
    try {
      return await callback();
    } catch (error) {
      if (Date.now() >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  }
}

export const vi = { spyOn, restoreAllMocks, waitFor };
