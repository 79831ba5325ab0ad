import type { SignInAttempt } from '../people/users/sessions/provider-sign-in-service.ts';
import { readReturnPath } from './return-path.ts';

/** A sign-in that a browser has begun. */
export interface KeptAttempt extends SignInAttempt {
  readonly returnTo: string;
  /** Milliseconds. */
  readonly startedAt: number;
}

export const attemptSeconds = 600;
const maxAttempts = 5;
/** Browsers keep 4,096 bytes. Links of other sites begin sign-ins too, and whatever they set is sent with every request for ten minutes. */
const maxLength = 3_000;

/** The sign-ins of a browser that are under way, newest first, of its cookie: several tabs can sign in at the same time. */
export function readAttempts(cookie: string | undefined, now: number): KeptAttempt[] {
  return cookie === undefined
    ? []
    : parse(cookie).filter(({ startedAt }) => now - startedAt <= attemptSeconds * 1_000);
}

/** A cookie with as many of the attempts, newest first, as have room. Undefined: with none. */
export function toCookie(attempts: readonly KeptAttempt[]): string | undefined {
  for (let count = Math.min(attempts.length, maxAttempts); count > 0; count -= 1) {
    const text = Buffer.from(JSON.stringify(attempts.slice(0, count))).toString('base64url');
    if (text.length <= maxLength) return text;
  }
  return undefined;
}

function parse(text: string): KeptAttempt[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value.map(toAttempt).filter((one) => one !== undefined) : [];
  } catch {
    return [];
  }
}

function toAttempt(value: unknown): KeptAttempt | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { state, nonce, verifier, returnTo, startedAt } = value as Readonly<Record<string, unknown>>; // an object
  if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
    return undefined;
  if (typeof startedAt !== 'number') return undefined;
  return { state, nonce, verifier, startedAt, returnTo: readReturnPath(returnTo) };
}
