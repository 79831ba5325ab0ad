/** The form of an Idempotency-Key: visible ASCII, and long enough for a random one. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{16,128}$/;
