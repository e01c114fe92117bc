// Colour for failures, on terminals that support it: https://no-color.org.
import { isTerminal } from "./system.js";

export interface Colours {
  bad(text: string): string;
}

const RED = "\x1b[31m";
const PLAIN = "\x1b[0m";

export type When = "auto" | "always" | "never";

export function coloursFor(when: When): Colours {
  const { NO_COLOR, TERM } = process.env;
  const wanted = when === "always" || (when === "auto" && !NO_COLOR && TERM !== "dumb" && isTerminal(1));
  return { bad: (text) => (wanted ? `${RED}${text}${PLAIN}` : text) };
}
