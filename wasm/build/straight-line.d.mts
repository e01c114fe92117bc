/** Shortens every run of assignments in the text of functions. */
export function straightened(code: string): string;
