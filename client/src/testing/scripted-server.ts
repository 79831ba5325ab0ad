import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ProblemCode, problems } from '@muster/contract';
import { toProblem } from '@muster/http/answers/to-problem';

/** A request as it arrived. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How the server treats one request. */
export type Step = (response: ServerResponse) => void;

/** A server on a real port that treats each request as its script says, for faults that the service never has. */
export interface ScriptedServer {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** Takes one step per request; repeats the last step for all further requests. */
export async function startScriptedServer(...steps: readonly Step[]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const step = steps[Math.min(received.length, steps.length - 1)];
      received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      step?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Sends an answer with this JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Refuses in the form of the service. */
export function refuse(code: ProblemCode, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(problems[code].status, {
      'content-type': 'application/problem+json; charset=utf-8',
      ...headers,
    });
    response.end(JSON.stringify(toProblem(code, 'request-1', `Refused as ${code}.`)));
  };
}

/** Answers like a service that is not Muster. */
export function foreign(status: number, text: string, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(text);
  };
}

/** Reads the request and closes the connection without an answer. */
export const hangUp: Step = (response) => {
  response.destroy();
};

/** Begins an answer and closes the connection before its end. */
export const breakOff: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":', () => response.destroy());
};

/** Reads the request and never answers. */
export const neverAnswer: Step = () => undefined;

/** Begins an answer and never ends it. */
export const neverEnd: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"id":');
};
