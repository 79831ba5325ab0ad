import { randomBytes } from 'node:crypto';
import { formatProjectToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryBench, times } from './memory-bench.ts';

let bench: MemoryBench;
/** Makes every name unique. */
let lastNumber = 0;

beforeAll(async () => {
  bench = await MemoryBench.start({
    MUSTER_TRUST_PROXY: '127.0.0.1',
    MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '2',
  });
});
afterAll(() => bench.stop());

interface Kind {
  readonly what: string;
  /** Enough to fill limited caches, and for V8 to compile the running code. */
  readonly before: number;
  readonly count: number;
  /** Data that is deliberately remembered while there is room. */
  readonly bytesOfEach: number;
  readonly take: (count: number) => Promise<void>;
}

const kinds: readonly Kind[] = [
  {
    what: 'credentials that nobody has, each from an address of its own',
    before: 11_000,
    count: 2_000,
    bytesOfEach: 0,
    take: sendUnknownTokens,
  },
  {
    what: 'paths that do not exist',
    before: 400,
    count: 800,
    bytesOfEach: 0,
    take: askForUnknownPaths,
  },
  // The agent of each machine id.
  {
    what: 'agents that were deleted',
    before: 100,
    count: 110,
    bytesOfEach: 250,
    take: oneByOne(useAndDeleteAgent),
  },
  // The code with which each is refused.
  {
    what: 'tokens that were revoked',
    before: 100,
    count: 110,
    bytesOfEach: 250,
    take: oneByOne(useAndRevokeToken),
  },
  {
    what: 'projects that were deleted',
    before: 100,
    count: 110,
    bytesOfEach: 500,
    take: oneByOne(useAndDeleteProject),
  },
];

/** For objects that V8 keeps for a while. A closed connection once left 2,500 bytes, which would be more than 0.5 MiB in two rounds of 110. */
const slackMegabytes = 0.5;
/** The first rounds also let V8 compile code. What grows in each of so many keeps growing. */
const maxRounds = 10;

describe('what the service keeps in memory does not grow with', () => {
  it.each(kinds)('$what', async ({ before, count, bytesOfEach, take }) => {
    await take(before);
    const heaps = [await bench.heapMegabytes()];
    const growthOfTwo = () => (heaps.at(-1) ?? 0) - (heaps.at(-3) ?? 0);
    const maxGrowth = slackMegabytes + (2 * count * bytesOfEach) / 2 ** 20;
    while (heaps.length < 3 || (growthOfTwo() > maxGrowth && heaps.length <= maxRounds)) {
      await take(count);
      heaps.push(await bench.heapMegabytes());
    }
    expect(growthOfTwo(), `heaps in MiB: ${heaps.join(', ')}`).toBeLessThanOrEqual(maxGrowth);
  });
});

/** Some of them concurrently, each with a number of its own. */
function oneByOne(once: (number: number) => Promise<void>): Kind['take'] {
  return (count) =>
    times(count, () => {
      lastNumber += 1;
      return once(lastNumber);
    });
}

function sendUnknownTokens(count: number): Promise<void> {
  const payload = { projectID: bench.project.id, tokenID: bench.project.id };
  const requestOf = () => {
    lastNumber += 1;
    const address = `10.${lastNumber >> 16}.${(lastNumber >> 8) & 255}.${lastNumber & 255}`;
    const token = formatProjectToken(payload, randomBytes(32));
    return { target: '/v1/me', headers: [`X-Project-Token: ${token}`, `X-Forwarded-For: ${address}`] };
  };
  return bench.get(count, requestOf, [401, 429]);
}

function askForUnknownPaths(count: number): Promise<void> {
  const requestOf = () => {
    lastNumber += 1;
    return { target: `/v1/unknown-${lastNumber}`, headers: [] };
  };
  return bench.get(count, requestOf, [404]);
}

/** It reports under its own token until it is limited, and by its machine id. */
async function useAndDeleteAgent(number: number): Promise<void> {
  const asProject = { 'x-project-token': bench.project.token };
  const body = {
    name: 'short-lived',
    machineID: `short-lived-${number}`,
    rawConfig: '[INPUT]\n  name cpu\n',
  };
  const { body: agent } = await bench.send<{ id: string; token: string }>(
    'POST',
    '/v1/agents',
    body,
    asProject,
  );
  const path = `/v1/agents/${agent.id}/errors`;
  for (const error of ['one', 'one', 'two', 'three']) {
    const { status } = await bench.send('POST', path, { error }, { 'x-agent-token': agent.token });
    expect([201, 429]).toContain(status);
  }
  const byMachine = `/v1/machines/short-lived-${number}/errors`;
  expect((await bench.send('POST', byMachine, { error: 'one' }, asProject)).status).toBe(201);
  expect((await bench.send('DELETE', `/v1/agents/${agent.id}`)).status).toBe(204);
}

async function useAndRevokeToken(number: number): Promise<void> {
  const path = `/v1/projects/${bench.project.id}/tokens`;
  const { body } = await bench.send<{ id: string; token: string }>('POST', path, { name: `token ${number}` });
  const as = { 'x-project-token': body.token };
  expect((await bench.send('GET', '/v1/me', undefined, as)).status).toBe(200);
  expect((await bench.send('DELETE', `/v1/project_tokens/${body.id}`)).status).toBe(204);
  expect((await bench.send('GET', '/v1/me', undefined, as)).status).toBe(401);
}

async function useAndDeleteProject(number: number): Promise<void> {
  const { body } = await bench.send<{ id: string; token: string }>('POST', '/v1/projects', {
    name: `project ${number}`,
  });
  const as = { 'x-project-token': body.token };
  const machine = '/v1/machines/of-a-short-lived-project/errors';
  expect((await bench.send('POST', machine, { error: 'one' }, as)).status).toBe(201);
  expect((await bench.send('DELETE', `/v1/projects/${body.id}`)).status).toBe(204);
}
