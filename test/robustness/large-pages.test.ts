import { randomBytes } from 'node:crypto';
import type { Agent } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';

const admin = randomBytes(24).toString('hex');
const asAdmin = { authorization: `Bearer ${admin}` };
const agentCount = 200;

let service: MusterProcess;
let project: { id: string; token: string };
/** The headers of two callers. */
let callers: readonly Readonly<Record<string, string>>[];

/** About 200 KB as UTF-8: the longest texts that a description may contain. */
const largest = {
  metadata: { text: '…'.repeat(65_000) },
  flags: Array.from({ length: 64 }, () => '\u{10ffff}'.repeat(256)),
  tags: Array.from({ length: 100 }, (_, index) => `${index}${'\u{10ffff}'.repeat(120)}`),
};

beforeAll(async () => {
  // The heap of a container with the minimum memory.
  service = await startMuster({
    env: { MUSTER_ADMIN_TOKEN: admin, NODE_OPTIONS: '--max-old-space-size=128' },
  });
  ({ body: project } = await send<typeof project>(`${service.url}/v1/projects`, {
    headers: asAdmin,
    body: { name: 'large' },
  }));
  const { body: reader } = await send<{ token: string }>(`${service.url}/v1/projects/${project.id}/tokens`, {
    headers: asAdmin,
    body: { name: 'reader', permissions: ['read:agent'] },
  });
  callers = [asAdmin, { 'x-project-token': reader.token }];
  for (let index = 0; index < agentCount; index += 1) {
    const { status } = await send(`${service.url}/v1/agents`, {
      headers: { 'x-project-token': project.token },
      body: { name: 'host', machineID: `host-${index}`, ...largest },
    });
    expect(status).toBe(201);
  }
});
afterAll(() => service.end());

/** As many lists as the service reads at once, so that none waits: two for each caller, and four for all. */
async function listAtOnce(): Promise<number[]> {
  const url = `${service.url}/v1/projects/${project.id}/agents?last=1000`;
  const answers = await Promise.all([...callers, ...callers].map((headers) => send(url, { headers })));
  return answers.map(({ status }) => status);
}

describe('a list of agents with the largest possible descriptions', () => {
  it('has pages of bounded size, contains every agent once, and works with a small heap', async () => {
    const machines: string[] = [];
    let next: string | undefined = `/v1/projects/${project.id}/agents?last=1000`;
    while (next !== undefined) {
      const page: { headers: Headers; body: Agent[] } = await send<Agent[]>(service.url + next, {
        headers: asAdmin,
      });
      expect(JSON.stringify(page.body).length).toBeLessThan(5_000_000);
      machines.push(...page.body.map(({ machineID }) => machineID));
      next = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    const registered = Array.from({ length: agentCount }, (_, index) => `host-${index}`);
    expect(machines).toEqual(registered.reverse());

    for (let time = 0; time < 3; time += 1) expect(await listAtOnce()).toEqual([200, 200, 200, 200]);
    expect(await send(`${service.url}/healthz`)).toMatchObject({ status: 200 });
  });
});
