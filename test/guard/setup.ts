// Every test file of this run is guarded.
import { afterEach } from "vitest";
import { checkClosed, guard } from "./guard.ts";

guard();
afterEach(checkClosed);
