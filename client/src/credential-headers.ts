import type { Credential } from './options.ts';

/**
 * The headers that carry a credential.
 *
 * @throws TypeError for an invalid credential. The message never contains the value; the platform's own message would.
 */
export function credentialHeaders(credential: Credential | undefined): Record<string, string> {
  if (credential === undefined) return {};
  const parts = Object.entries(credential);
  if (!isCombination(parts.map(([kind]) => kind))) {
    throw new TypeError(
      'A credential is one of { accessToken }, { projectToken }, { agentToken }, { coreInstanceToken } or { projectToken, agentToken }.',
    );
  }
  return Object.fromEntries(
    parts.map(([kind, value]) => [
      headers[kind as keyof typeof headers], // checked right above
      kind === 'accessToken' ? `Bearer ${tokenOf(kind, value)}` : tokenOf(kind, value),
    ]),
  );
}

/** True for one kind, or for an agent token together with the project token that registers it. */
function isCombination(kinds: readonly string[]): boolean {
  const [only] = kinds;
  if (kinds.length === 1) return only !== undefined && Object.hasOwn(headers, only);
  return kinds.length === 2 && kinds.includes('projectToken') && kinds.includes('agentToken');
}

const headers = {
  accessToken: 'authorization',
  projectToken: 'x-project-token',
  agentToken: 'x-agent-token',
  coreInstanceToken: 'x-core-instance-token',
} as const;

function tokenOf(kind: string, value: unknown): string {
  // Files that hold a token often end with a line break.
  const token = typeof value === 'string' ? value.trim() : '';
  if (token === '') throw new TypeError(`The ${kind} is empty. Give the whole value of the token.`);
  if (token.includes('…')) {
    throw new TypeError(
      `The ${kind} is masked, as lists show it. Give the whole value, which was in the answer that created it.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError(
      `The ${kind} has characters that no token has. Copy it again, without the text around it.`,
    );
  }
  return token;
}
