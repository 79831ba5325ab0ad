import { randomBytes } from 'node:crypto';
import { formatProjectToken } from '@muster/contract';
import type { TestApp } from './start-test-app.ts';

/** What invalid credentials are answered with: up to the limit of their address, and beyond. */
export const refused = 'invalid_credential';
export const limited = 'too_many_invalid_credentials';

/** An id that nothing has. */
export const absentID = '0192f0a0-0000-7000-8000-000000000000';
/** Malformed, so that it costs no look-up. */
export const nonsense = { 'x-project-token': 'nonsense' };

/** Well-formed, and made by nobody. */
export function unknownToken(): Record<string, string> {
  const ids = { projectID: absentID, tokenID: absentID };
  return { 'x-project-token': formatProjectToken(ids, randomBytes(32)) };
}

/** Where a request comes from, and what a proxy says of that. */
export interface From {
  readonly address?: string;
  readonly forwardedFor?: string;
}

/** A request with these credentials. */
export async function sendFrom(
  test: TestApp,
  headers: Readonly<Record<string, string>>,
  { address, forwardedFor }: From = {},
) {
  const response = await test.app.http.inject({
    url: '/v1/me',
    headers: { ...headers, ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }) },
    ...(address === undefined ? {} : { remoteAddress: address }),
  });
  const { statusCode: status, headers: answered } = response;
  return { status, headers: answered, body: response.json<{ code?: string }>() };
}

/** The codes of as many attempts. */
export async function attemptFrom(
  test: TestApp,
  times: number,
  from: From = {},
): Promise<(string | undefined)[]> {
  const codes: (string | undefined)[] = [];
  for (let time = 0; time < times; time += 1) codes.push((await sendFrom(test, nonsense, from)).body.code);
  return codes;
}
