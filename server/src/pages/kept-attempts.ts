import type { OwnCookies } from '../http/authentication/own-cookies.ts';
import type { SignInAttempt } from '../users/sessions/provider-sign-in-service.ts';
import { readReturnPath } from './return-path.ts';

/** A sign-in that a browser has begun. */
export interface KeptAttempt extends SignInAttempt {
  readonly returnTo: string;
  /** Milliseconds. */
  readonly startedAt: number;
}

const cookieName = 'muster_provider';
const cookieSeconds = 600;
const maxAttempts = 5;
/** Browsers keep 4,096 bytes. Links of other sites begin sign-ins too, and whatever they set is sent with every request for ten minutes. */
const maxCookieLength = 3_000;

/** The sign-ins of a browser that are under way, newest first: several tabs can sign in at the same time. */
export function readAttempts(
  cookies: OwnCookies,
  headers: Parameters<OwnCookies['read']>[0],
  now: number,
): KeptAttempt[] {
  const text = cookies.read(headers, cookieName);
  return text === undefined
    ? []
    : parse(text).filter(({ startedAt }) => now - startedAt <= cookieSeconds * 1_000);
}

/** The value of a Set-Cookie header that keeps as many of the attempts, newest first, as have room. */
export function keepAttempts(cookies: OwnCookies, attempts: readonly KeptAttempt[]): string {
  for (let count = Math.min(attempts.length, maxAttempts); count > 0; count -= 1) {
    const text = Buffer.from(JSON.stringify(attempts.slice(0, count))).toString('base64url');
    if (text.length <= maxCookieLength) return cookies.set(cookieName, text, cookieSeconds);
  }
  return cookies.clear(cookieName);
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
