// Writes the coverage of this thread before the test runner ends it.
import { takeCoverage } from "node:v8";
import { afterAll } from "vitest";

afterAll(() => takeCoverage());
