import { buildOpenApiDocument, Problem } from '@muster/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { AnswerChecker } from '../../../server/src/testing/calls/check-answer.ts';
import { faultsIn, startListeningApp } from '../listening-app.ts';
import { exchange, type RawAnswer, RawConnection } from '../raw-connection.ts';
import { requestText } from '../request-text.ts';
import { type FuzzRequest, type FuzzTargets, makeFuzzRequest } from './fuzz-request.ts';
import { createFuzzTargets } from './fuzz-targets.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
  readonly connections: number;
  readonly onProgress?: (figures: FuzzFigures) => void;
}

export interface FuzzFigures {
  readonly requests: number;
  /** Number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

const requestsPerRound = 500;
const document = buildOpenApiDocument('0.0.0-test');
const checker = new AnswerChecker();
const isProblem = new Ajv2020().compile(Problem);

/**
 * Sends requests that are valid, wrong in one place, or corrupted.
 *
 * @throws Error for the first wrong answer, with the seed and the number of the request.
 */
export async function runFuzz({ seed, count, connections, onProgress }: FuzzOptions): Promise<FuzzFigures> {
  const { test, port } = await startListeningApp({ logLevel: 'error' });
  const statuses: Record<string, number> = {};
  let requests = 0;
  try {
    while (requests < count) {
      const targets = await createFuzzTargets(test);
      const end = Math.min(count, requests + requestsPerRound);
      const next = () => (requests < end ? requests++ : undefined);
      const clients = Array.from(
        { length: connections },
        () => new FuzzClient(port, seed, targets, statuses),
      );
      await Promise.all(clients.map((client) => client.run(next)));
      const faults = faultsIn(test.logs);
      if (faults.length > 0)
        throw new Error(`seed ${seed}, by request ${requests}: it logged ${faults.join('')}`);
      await expectReady(port);
      onProgress?.({ requests, statuses });
    }
    return { requests, statuses };
  } finally {
    await test.close();
  }
}

class FuzzClient {
  readonly #port: number;
  readonly #seed: number;
  readonly #targets: FuzzTargets;
  readonly #statuses: Record<string, number>;
  #connection: RawConnection | undefined;

  constructor(port: number, seed: number, targets: FuzzTargets, statuses: Record<string, number>) {
    this.#port = port;
    this.#seed = seed;
    this.#targets = targets;
    this.#statuses = statuses;
  }

  async run(next: () => number | undefined): Promise<void> {
    for (let index = next(); index !== undefined; index = next()) {
      const request = makeFuzzRequest(this.#seed, index, document, this.#targets);
      try {
        await (request.asked === undefined ? this.#sendBroken(request) : this.#send(request, request.asked));
      } catch (error) {
        throw new Error(describeFailure(this.#seed, index, request, error), { cause: error });
      }
    }
    this.#connection?.destroy();
  }

  /** On a connection that is kept open, as clients do. */
  async #send(
    { bytes }: FuzzRequest,
    asked: { readonly method: string; readonly path: string },
  ): Promise<void> {
    this.#connection ??= await RawConnection.open(this.#port);
    this.#connection.send(bytes);
    let answer = await this.#connection.nextAnswer();
    if (answer?.status === 100) answer = await this.#connection.nextAnswer();
    if (answer === undefined) throw new Error('there is no answer');
    this.#check(answer);
    checker.check({
      ...asked,
      status: answer.status,
      contentType: answer.headers['content-type'],
      text: answer.text,
      isMinimal: answer.headers['preference-applied'] === 'return=minimal',
    });
    if (answer.headers.connection !== 'close') return;
    await this.#connection.closed();
    this.#connection = undefined;
  }

  /** On a new connection that is read to its end, because the bytes may contain no request, one, or several. */
  async #sendBroken({ bytes }: FuzzRequest): Promise<void> {
    const connection = await RawConnection.open(this.#port);
    connection.send(bytes);
    connection.end();
    for (let answer = await connection.nextAnswer(); answer !== undefined; ) {
      if (answer.status !== 100) this.#check(answer);
      answer = await connection.nextAnswer();
    }
    await connection.closed();
  }

  #check({ status, headers, text }: RawAnswer): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (status >= 500 || status < 200) throw new Error(`it answers ${status}: ${text}`);
    if (headers['x-request-id'] === undefined) throw new Error(`${status} has no request id`);
    if (status < 400) return;
    const body: unknown = JSON.parse(text);
    if (!isProblem(body)) throw new Error(`${status} is no problem: ${text}`);
    const { requestID, status: said } = body as Problem; // as just validated
    if (requestID !== headers['x-request-id']) throw new Error(`${status} has two request ids: ${text}`);
    if (said !== status) throw new Error(`${status} says that it is ${said}`);
    if (!headers['content-type']?.startsWith('application/problem+json')) {
      throw new Error(`${status} has the media type ${headers['content-type']}`);
    }
  }
}

async function expectReady(port: number): Promise<void> {
  const answer = await exchange(port, requestText({ target: '/readyz' }));
  if (answer?.status !== 200) throw new Error(`/readyz answers ${answer?.status}`);
}

function describeFailure(seed: number, index: number, { bytes }: FuzzRequest, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `seed ${seed}, request ${index}: ${reason}\n${JSON.stringify(bytes.toString('latin1').slice(0, 3_000))}`;
}
