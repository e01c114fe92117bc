export const leaks: Record<string, { code: number[]; found: string | undefined }>;
export function findingIn(code: number[]): string | undefined;
