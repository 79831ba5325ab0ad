import type { RandomBytes } from '../secret.ts';

/**
 * Makes names for requests: a random part for this process and a count. They cost almost nothing, which matters
 * for what every report of a storm gets.
 */
export function createNewRequestID(randomBytes: RandomBytes): () => string {
  const process = Buffer.from(randomBytes(9)).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${process}.${count.toString(36)}`;
  };
}
