import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';
import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';
import { openSlowClient, type SlowKind, slowKinds } from './slow-client.ts';

export interface SlowClientFigures {
  /** Durations of reports on eight connections, without and with slow clients. */
  readonly p99Milliseconds: { readonly quiet: number; readonly busy: number };
  /** By behaviour of the slow client: how long the slowest held its connection. */
  readonly maxHeldSeconds: Readonly<Record<SlowKind, number>>;
}

const reportsPerMeasure = 4_000;
const maxTtlMilliseconds = 15_000;

/** Holds connections to a service in all ways at once, and measures the effect on others. */
export async function runSlowClients(connections: number): Promise<SlowClientFigures> {
  const admin = randomBytes(24).toString('hex');
  const service = await startMuster({ env: { MUSTER_ADMIN_TOKEN: admin } });
  try {
    const { body: project } = await send<{ token: string }>(`${service.url}/v1/projects`, {
      headers: { authorization: `Bearer ${admin}` },
      body: { name: 'slow clients' },
    });
    const port = portOf(service);
    const credential = `X-Project-Token: ${project.token}`;
    const quiet = await measure(port, credential);
    const each = Math.ceil(connections / slowKinds.length);
    const held = slowKinds.map((): Promise<number>[] => []);
    for (let client = 0; client < each; client += 1) {
      // One of each kind at a time: a burst would wait in the system's queue, which would count as held.
      const opened = await Promise.all(
        slowKinds.map((kind) => openSlowClient(kind, { port, credential, paceMilliseconds: 1_000 })),
      );
      opened.forEach((connection, kind) => {
        held[kind]?.push(holdingTime(connection, slowKinds[kind]));
      });
    }
    const busy = await measure(port, credential);
    const seconds = await Promise.all(
      held.map(async (ofKind) => Math.max(...(await Promise.all(ofKind))) / 1_000),
    );
    return {
      p99Milliseconds: { quiet, busy },
      maxHeldSeconds: Object.fromEntries(
        slowKinds.map((kind, index) => [kind, seconds[index] ?? 0]),
      ) as Record<SlowKind, number>, // has every kind
    };
  } finally {
    await service.end();
  }
}

/** Returns for how many milliseconds the connection was held; a minute stands for a minute or more. */
async function holdingTime(connection: RawConnection, kind: SlowKind | undefined): Promise<number> {
  const started = performance.now();
  if (kind === 'never reads its answers') {
    await pause(maxTtlMilliseconds);
    // A client that does not read does not notice the end: its first bytes trigger it, and the next ones fail.
    for (let times = 0; times < 3 && !connection.isClosed; times += 1) {
      connection.send('\r\n');
      await pause(300);
    }
    const isHeld = !connection.isClosed;
    connection.destroy();
    return isHeld ? 60_000 : maxTtlMilliseconds;
  }
  while (!connection.isClosed && performance.now() - started < 60_000) await pause(50);
  connection.destroy();
  return performance.now() - started;
}

async function measure(port: number, credential: string): Promise<number> {
  const durations: number[] = [];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const connection = await RawConnection.open(port);
      while (durations.length < reportsPerMeasure) {
        const started = performance.now();
        connection.send(report(credential));
        const answer = await connection.nextAnswer();
        if (answer?.status !== 201) throw new Error(`a report was answered ${answer?.status}`);
        durations.push(performance.now() - started);
      }
      connection.destroy();
    }),
  );
  return durations.sort((one, other) => one - other)[Math.floor(durations.length * 0.99)] ?? 0;
}

function report(credential: string): Buffer {
  return requestText({
    method: 'POST',
    target: '/v1/machines/quick/errors',
    headers: [credential, 'Content-Type: application/json'],
    body: '{"error":"among slow clients"}',
  });
}

function portOf({ url }: MusterProcess): number {
  return Number(new URL(url).port);
}
