/** Shortens the text of functions. */
export function shortenedCode(code: string): string;
