import type { Bench } from '../bench.ts';
import type { Fleet } from '../load/load.ts';
import { startWorkerProcess } from '../processes/worker-process.ts';
import type { Product } from './product.ts';

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Node's own headers, on every answer of every server. */
const headersOfNode = ['connection', 'date', 'keep-alive'];

/** The minimum that a server could do to answer a report: parse its JSON and send the bytes of a fixed answer. */
export async function startBare(
  bench: Bench,
  product: Product,
  fleet: Fleet,
  text: string,
): Promise<{ url: string; pid: number }> {
  const response = await fetch(new URL(`/v1/agents/${fleet.agents[0]?.id}/errors`, product.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', [fleet.credential.name]: fleet.credential.value },
    body: JSON.stringify({ error: text }),
  });
  return serveBare(bench, response);
}

/** Sends an answer of the service again and again. */
export async function serveBare(bench: Bench, answer: Response): Promise<{ url: string; pid: number }> {
  const worker = startWorkerProcess(bench.closing, new URL('bare-process.ts', import.meta.url));
  const port = await worker.ask<number>('listen', await record(answer), 30_000);
  return { url: `http://127.0.0.1:${port}`, pid: worker.pid };
}

async function record(response: Response): Promise<RecordedAnswer> {
  const headers = [...response.headers].filter(([name]) => !headersOfNode.includes(name));
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() };
}
