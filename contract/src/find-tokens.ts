import {
  isWellFormedInvitationCode,
  isWellFormedSignInSecret,
  isWellFormedToken,
  type ProjectTokenPayload,
  readProjectToken,
} from './token-format.ts';

/** What a value gives access to, by its form alone: it may be unknown, expired or revoked. */
export const leakKinds = [
  'project',
  'access',
  'agent',
  'core_instance',
  'invitation',
  'session',
  'signInLink',
] as const;
export type LeakKind = (typeof leakKinds)[number];

/** A credential in a text. */
export interface FoundToken {
  readonly kind: LeakKind;
  /** The whole value. Never print it. */
  readonly value: string;
  /** Where it starts in the text. */
  readonly index: number;
  /** The ids that a project token carries. */
  readonly payload: ProjectTokenPayload | undefined;
}

/** The maximum length of a credential that `findTokens` finds. */
export const maxTokenLength = 191;

/** Length of the first part of a project token, including the dot. */
const payloadLength = 136;

/**
 * The published pattern of all credentials, for secret scanners. Its syntax is common to ECMAScript, RE2, PCRE and Hyperscan. A match is a
 * credential of Muster only if its checksum is correct, which `findTokens` checks.
 */
export const leakPattern = '(?:[0-9A-Za-z_-]{135}\\.mst_p_|mst_[uacisl]_)[0-9A-Za-z]{49}';

const kindsByLetter: Readonly<Record<string, Exclude<LeakKind, 'project'>>> = {
  u: 'access',
  a: 'agent',
  c: 'core_instance',
  i: 'invitation',
  s: 'session',
  l: 'signInLink',
};

/** Finds the credentials in a text, in order, in time that is linear in its length. Nothing is found whose checksum is wrong. */
export function* findTokens(text: string): Generator<FoundToken, void, undefined> {
  // Beginning with its fixed part, so that no position of a long line is tried more than once.
  for (const { 0: secret, index } of text.matchAll(/mst_[puacisl]_[0-9A-Za-z]{49}/g)) {
    const found = secret.startsWith('mst_p_') ? readProject(text, index, secret) : readOther(secret, index);
    if (found !== undefined) yield found;
  }
}

function readProject(text: string, index: number, secret: string): FoundToken | undefined {
  const start = index - payloadLength;
  if (start < 0) return undefined;
  const value = text.slice(start, index) + secret;
  const payload = readProjectToken(value);
  return payload === undefined ? undefined : { kind: 'project', value, index: start, payload };
}

function readOther(value: string, index: number): FoundToken | undefined {
  const kind = kindsByLetter[value.charAt('mst_'.length)];
  if (kind === undefined) return undefined;
  return isWellFormed(kind, value) ? { kind, value, index, payload: undefined } : undefined;
}

function isWellFormed(kind: Exclude<LeakKind, 'project'>, value: string): boolean {
  if (kind === 'invitation') return isWellFormedInvitationCode(value);
  return kind === 'session' || kind === 'signInLink'
    ? isWellFormedSignInSecret(kind, value)
    : isWellFormedToken(kind, value);
}
