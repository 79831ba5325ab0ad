import { randomBytes } from 'node:crypto';
import { formatProjectToken } from '@muster/contract';
import type { TestApp } from '../start-test-app.ts';

/** The answers to invalid credentials: within the limit of their address, and above it. */
export const refused = 'invalid_credential';
export const limited = 'too_many_invalid_credentials';

/** An id that does not exist. */
export const absentID = '0192f0a0-0000-7000-8000-000000000000';
/** Malformed, so that it costs no look-up. */
export const nonsense = { 'x-project-token': 'nonsense' };

/** Well-formed, but never issued. */
export function unknownToken(): Record<string, string> {
  const ids = { projectID: absentID, tokenID: absentID };
  return { 'x-project-token': formatProjectToken(ids, randomBytes(32)) };
}

/** The address of a request, and the one that a proxy reports. */
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

/** The codes of that many attempts. */
export async function attemptFrom(
  test: TestApp,
  times: number,
  from: From = {},
): Promise<(string | undefined)[]> {
  const codes: (string | undefined)[] = [];
  for (let time = 0; time < times; time += 1) codes.push((await sendFrom(test, nonsense, from)).body.code);
  return codes;
}
