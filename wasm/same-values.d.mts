import type { Body } from "./code.mjs";

export function requireSameValues(first: Body, second: Body): void;
