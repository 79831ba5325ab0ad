import { percentile } from '../measure/statistics.ts';
import { ReportConnection } from './report-connection.ts';

/** Agents that open a connection for each report and close it after the answer, as many agents do. */
export interface ReconnectingLoad {
  readonly url: string;
  /** A whole request. */
  readonly request: string;
  /** Open at the same time. */
  readonly connections: number;
  /** It ends after this many reports or seconds. */
  readonly until: { readonly reports: number } | { readonly seconds: number };
}

export interface ReconnectingFigures {
  /** Answered 201. */
  readonly reports: number;
  readonly perSecond: number;
  /** From the start of the connection to the answer. */
  readonly medianMilliseconds: number;
  readonly p99Milliseconds: number;
}

const pauseMilliseconds = 20;

/** @throws Error if a report is answered with anything except 201 */
export async function reconnect(load: ReconnectingLoad): Promise<ReconnectingFigures> {
  const { hostname, port } = new URL(load.url);
  const { until } = load;
  const milliseconds: number[] = [];
  const startedAt = performance.now();
  let begun = 0;
  const goesOn = (): boolean =>
    'reports' in until ? begun < until.reports : performance.now() - startedAt < until.seconds * 1_000;
  const client = async (): Promise<void> => {
    while (goesOn()) {
      begun += 1;
      const from = performance.now();
      await report(hostname, Number(port), load.request);
      milliseconds.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, client));
  return {
    reports: milliseconds.length,
    perSecond: (milliseconds.length * 1_000) / (performance.now() - startedAt),
    medianMilliseconds: percentile(milliseconds, 0.5),
    p99Milliseconds: percentile(milliseconds, 0.99),
  };
}

/** Waits if the system has no free port; ports of closed connections become free soon. */
async function report(host: string, port: number, request: string): Promise<void> {
  for (;;) {
    const connection = new ReportConnection(host, port);
    await connection.opened;
    if (connection.isClosed) {
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      continue;
    }
    const answer = await new Promise<{ readonly status: number } | undefined>((resolve) => {
      connection.send(request, resolve);
    });
    connection.close();
    if (answer?.status !== 201) throw new Error(`a report was answered with ${answer?.status ?? 'nothing'}`);
    return;
  }
}
