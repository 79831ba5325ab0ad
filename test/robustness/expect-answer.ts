import { Problem, type ProblemCode, problemSentence, problems } from '@muster/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { exchange, type RawAnswer, type RawConnection } from './raw-connection.ts';

const validateProblem = new Ajv2020().compile(Problem);

/** Checks everything that a refusal guarantees, including the bytes of its headers; returns its body. */
export function expectProblem(answer: RawAnswer | undefined, code: ProblemCode): Problem {
  if (answer === undefined) throw new Error(`no answer where ${code} was expected`);
  const body: unknown = JSON.parse(answer.text || 'null');
  if (!validateProblem(body)) throw new Error(`no problem body: ${answer.status} ${answer.text}`);
  const { detail, requestID } = body as Problem; // as just validated
  expect(body).toEqual({
    ...(body as Problem),
    type: `/errors/${code}`,
    title: problems[code].title,
    status: problems[code].status,
    error: problemSentence(code),
    code,
  });
  expect(detail).toMatch(/^[A-Z'/].*[.?…)]$/su);
  expect(answer).toMatchObject({
    version: 'HTTP/1.1',
    status: problems[code].status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.text)),
      'x-request-id': requestID,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });
  return body as Problem;
}

/** On the same connection: the earlier data had no side effects. */
export async function expectUsable(connection: RawConnection): Promise<void> {
  connection.send('GET /healthz HTTP/1.1\r\nHost: muster\r\n\r\n');
  expect(await connection.nextAnswer()).toMatchObject({
    status: 200,
    text: '{"status":"ok","version":"0.0.0-test"}',
  });
}

/** On a new connection: the service still works. */
export async function expectAlive(port: number, ca?: string): Promise<void> {
  const request = 'GET /readyz HTTP/1.1\r\nHost: muster\r\nConnection: close\r\n\r\n';
  const answer = await exchange(port, request, { ca });
  expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
}

/** One log line with the id of the request, by which an operator finds it. */
export function expectLogged(logs: readonly string[], { requestID, status }: Problem): void {
  const lines = logs.filter((line) => line.includes(`"reqId":"${requestID}"`));
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    expect.objectContaining({ reqId: requestID, status, msg: 'answered' }),
  ]);
}
