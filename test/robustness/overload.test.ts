import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenLoopLoad, startOpenLoop } from '../../bench/load/open-loop.ts';
import { Closing } from '../../bench/processes/closing.ts';
import { residentMegabytes } from '../../bench/processes/process-usage.ts';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';
import { expectAlive, expectProblem } from './expect-answer.ts';
import { faultsIn } from './listening-app.ts';
import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

const admin = randomBytes(24).toString('hex');
const asAdmin = { authorization: `Bearer ${admin}` };

const closing = new Closing();
let service: MusterProcess;
let project: { id: string; token: string };
let agentID: string;

beforeAll(async () => {
  service = await startMuster({
    env: {
      MUSTER_ADMIN_TOKEN: admin,
      MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
      MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '0',
    },
  });
  ({ body: project } = await send<typeof project>(`${service.url}/v1/projects`, {
    headers: asAdmin,
    body: { name: 'overloaded' },
  }));
  const { body: agent } = await send<{ id: string }>(`${service.url}/v1/agents`, {
    headers: { 'x-project-token': project.token },
    body: { name: 'host', machineID: 'host' },
  });
  agentID = agent.id;
});
afterAll(async () => {
  await closing.close();
  await service.end();
});

async function readMetric(series: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}

const readCreated = () => readMetric('muster_agent_error_reports_total{outcome="created"}');

describe('more reports at once than the service accepts', () => {
  it('stores all of an array or refuses it with 503 and Retry-After, and the connection can be used again', async () => {
    const { port } = new URL(service.url);
    const reports = (array: number) =>
      Array.from({ length: 1_000 }, (_, index) => ({ error: `array ${array} report ${index}` }));
    const connections = await Promise.all(Array.from({ length: 30 }, () => RawConnection.open(Number(port))));
    const requests = connections.map((_, array) => report(JSON.stringify(reports(array))));
    for (const [index, connection] of connections.entries()) {
      connection.send(requests[index]?.subarray(0, -1) ?? '');
    }
    // A later request is answered after the earlier ones are read.
    await expectAlive(Number(port));
    // Stopped until all have come, so that the service reads them at once, however slowly this process sends them.
    service.child.kill('SIGSTOP');
    for (const connection of connections) connection.send(']');
    service.child.kill('SIGCONT');
    const answers = await Promise.all(connections.map((connection) => connection.nextAnswer()));
    const refused = answers.filter((answer) => answer?.status === 503);
    const accepted = answers.filter((answer) => answer?.status === 201);
    expect(accepted.length + refused.length).toBe(30);
    expect(accepted.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expectProblem(answer, 'overloaded');
      expect(answer?.headers['retry-after']).toMatch(/^[1-5]$/);
    }
    expect(await readCreated()).toBe(accepted.length * 1_000);

    const again = connections[answers.indexOf(refused[0])];
    again?.send(report('{"error":"after the refusal"}'));
    expect(await again?.nextAnswer()).toMatchObject({ status: 201 });
    for (const connection of connections) connection.destroy();
  });
});

describe('many more reports than the service can store, for a while', () => {
  it('stores accepted reports, refuses the others, answers other requests, and recovers', async () => {
    // Arrays, each sent after the one before was answered: together four times the limit of waiting reports.
    const load: OpenLoopLoad = {
      url: service.url,
      fleet: { credential: { name: 'X-Project-Token', value: project.token }, agents: [{ id: agentID }] },
      connections: 400,
      timeoutMilliseconds: 90_000,
      reportsPerRequest: 100,
      reconnects: false,
      perSecond: undefined,
      seconds: 2,
    };
    const before = await readCreated();
    const meanwhile = watch();
    const { whole } = await startOpenLoop(closing).run(load);
    const seen = await meanwhile.end();

    const { accepted, refused, unexpected, examples, timedOut, broken } = whole;
    expect({ unexpected, examples, timedOut, broken }).toEqual({
      unexpected: 0,
      examples: [],
      timedOut: 0,
      broken: 0,
    });
    expect(refused).toBeGreaterThan(0);
    expect(await readCreated()).toBe(before + accepted * load.reportsPerRequest);
    expect(seen.maxWaiting).toBeLessThanOrEqual(10_000);
    expect(seen.statuses).toEqual(new Set([200]));
    expect(residentMegabytes(service.pid)?.now ?? 0).toBeLessThan(500);

    const connection = await RawConnection.open(Number(new URL(service.url).port));
    for (let count = 0; count < 20; count += 1) {
      connection.send(report(`{"error":"afterwards ${count}"}`));
      expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    }
    connection.destroy();
    const lines = service.stderr.text.trim().split('\n');
    expect(faultsIn(lines)).toEqual([]);
    // Summary lines, not one line per refusal.
    expect(lines.filter((line) => line.includes('were refused with 503')).length).toBeLessThan(refused / 10);
  });
});

function report(body: string): Buffer {
  return requestText({
    method: 'POST',
    target: `/v1/agents/${agentID}/errors`,
    headers: [`X-Project-Token: ${project.token}`, 'Content-Type: application/json'],
    body,
  });
}

/** Repeats the requests of a supervisor and an operator. */
function watch() {
  const statuses = new Set<number>();
  let maxWaiting = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      maxWaiting = Math.max(maxWaiting, await readMetric('muster_agent_error_reports_waiting'));
      for (const path of ['/healthz', '/readyz', `/v1/agents/${agentID}/errors?last=10`]) {
        statuses.add((await send(`${service.url}${path}`, { headers: asAdmin })).status);
      }
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      return { statuses, maxWaiting };
    },
  };
}
