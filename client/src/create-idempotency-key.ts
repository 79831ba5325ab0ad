/** 128 random bits as 32 hexadecimal digits. Nobody must be able to guess a key: with a stolen credential, it gives the answer again. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
