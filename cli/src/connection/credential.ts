import type { Credential } from '@muster/client';
import {
  type CredentialKind,
  isMaskedToken,
  isWellFormedToken,
  readProjectToken,
  tokenPrefixes,
} from '@muster/contract';
import { CommandError } from '../command-error.ts';

/**
 * The kind of a token, judged by its format. A token of no known format counts as an access token, because operators
 * can choose their own and identity providers issue their own.
 */
export function kindOfToken(token: string): CredentialKind {
  if (token.includes(`.${tokenPrefixes.project}`)) return 'project';
  if (token.startsWith(tokenPrefixes.core_instance)) return 'core_instance';
  return token.startsWith(tokenPrefixes.agent) ? 'agent' : 'access';
}

/** True for an access token that Muster created, not an operator or an identity provider. */
export function isAccessTokenOfOurs(token: string): boolean {
  return token.startsWith(tokenPrefixes.access);
}

/** The credential in the form that the SDK takes. */
export function toCredential(token: string): Credential {
  switch (kindOfToken(token)) {
    case 'access':
      return { accessToken: token };
    case 'project':
      return { projectToken: token };
    case 'agent':
      return { agentToken: token };
    case 'core_instance':
      return { coreInstanceToken: token };
  }
}

/** The id of the project that a project token belongs to, read from the token. */
export function projectIDOfToken(token: string): string | undefined {
  return readProjectToken(token)?.projectID;
}

/** Rejects a text that cannot be a token before anything is sent. @throws CommandError */
export function requireToken(text: string, source: string): string {
  const token = text.trim();
  if (token === '') throw new CommandError('usage', `${source} holds no token.`);
  if (isMaskedToken(token)) {
    throw new CommandError(
      'usage',
      `${source} holds a masked token, as lists show it; the whole one was in the answer that created it.`,
      'If it is lost, create another token.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new CommandError(
      'usage',
      `${source} holds more than one word, or characters that no token has.`,
      'Give the token alone, as the answer that created it shows it.',
    );
  }
  const kind = kindOfToken(token);
  const isOurs = token.startsWith('mst_') || kind !== 'access';
  if (isOurs && !isWellFormedToken(kind, token)) {
    throw new CommandError(
      'usage',
      `${source} holds a token that is mistyped or cut off: its checksum is wrong.`,
      'Copy the whole token again.',
    );
  }
  return token;
}
