import type { Credential } from './options.ts';

/**
 * The header that shows a credential.
 *
 * @throws TypeError when it cannot be one. The message never holds the value; the platform's own would.
 */
export function credentialHeaders(credential: Credential | undefined): Record<string, string> {
  if (credential === undefined) return {};
  const [kind, ...others] = Object.keys(credential) as (keyof typeof headers)[]; // checked right below
  const header =
    kind === undefined || others.length > 0 || !Object.hasOwn(headers, kind) ? undefined : headers[kind];
  if (header === undefined || kind === undefined) {
    throw new TypeError('A credential is one of { accessToken }, { projectToken } and { agentToken }.');
  }
  const value: unknown = Object.values(credential)[0];
  return { [header]: kind === 'accessToken' ? `Bearer ${tokenOf(kind, value)}` : tokenOf(kind, value) };
}

const headers = {
  accessToken: 'authorization',
  projectToken: 'x-project-token',
  agentToken: 'x-agent-token',
} as const;

function tokenOf(kind: string, value: unknown): string {
  // A file that holds a token often ends with a line break.
  const token = typeof value === 'string' ? value.trim() : '';
  if (token === '') throw new TypeError(`The ${kind} is empty. Give the whole value of the token.`);
  if (token.includes('…')) {
    throw new TypeError(
      `The ${kind} is masked, as lists show it. Give the whole value, which was in the answer that created it.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError(
      `The ${kind} has characters that no token has. Copy it again, without what stands around it.`,
    );
  }
  return token;
}
