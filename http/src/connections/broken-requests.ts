import type { Duplex } from 'node:stream';
import { type ProblemCode, problems } from '@muster/contract';
import { answerHeaders } from '../answers/answer-headers.ts';
import { problemMediaType, toProblem } from '../answers/to-problem.ts';

const codes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** The code of the refusal that answers an error of Node's parser. */
export function codeOfBrokenRequest({ code }: { readonly code?: string }): ProblemCode {
  return codes[code ?? ''] ?? 'bad_request';
}

/** Answers bytes that are not a valid request, and closes the connection. */
export function answerBrokenRequest(
  socket: Duplex,
  code: ProblemCode,
  requestID: string,
  detail: string = problems[code].help,
): void {
  const { status, title } = problems[code];
  const body = JSON.stringify(toProblem(code, requestID, detail));
  socket.end(
    [
      `HTTP/1.1 ${status} ${title}`,
      `Content-Type: ${problemMediaType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestID}`,
      ...Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
