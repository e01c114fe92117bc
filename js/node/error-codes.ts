// Errors with the codes that node:crypto's have.

export function withCode<E extends Error>(error: E, code: string): E {
  return Object.assign(error, { code });
}
