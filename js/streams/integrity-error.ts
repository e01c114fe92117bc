// The error for a message that is not the expected one.

/**
 * A message is not the expected one. The error contains neither digest: under a key, the right digest is an
 * authenticator that must stay secret.
 */
export class IntegrityError extends Error {
  static {
    Object.defineProperty(IntegrityError.prototype, "name", {
      value: "IntegrityError",
      configurable: true,
      writable: true,
    });
  }
}
