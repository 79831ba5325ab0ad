import { setTimeout as pause } from 'node:timers/promises';
import {
  createAgentError,
  createClient,
  createDismissal,
  createToken,
  getDismissal,
  listAgentErrorGroups,
  registerAgent,
  updateAgent,
} from '@muster/client';
import type { Dashboard } from './start-dashboard.ts';

const hour = 3_600_000;
const day = 24 * hour;

interface DemoAgent {
  readonly agentID: string;
  readonly number: number;
  readonly report: (error: string) => Promise<unknown>;
  readonly change: (rawConfig: string) => Promise<void>;
}

const config = (level: string) => `[SERVICE]\n  log_level ${level}\n[OUTPUT]\n  name es\n  match *\n`;

/** A fleet over a day: a few causes that come and go, an update of the configuration that goes wrong, a token that expires. Always the same. */
export async function seedDemoFleet(dashboard: Dashboard, size = 40): Promise<void> {
  const { clock } = dashboard.app.test;
  const fleet: DemoAgent[] = [];
  for (let number = 1; number <= size; number += 1) fleet.push(await addAgent(dashboard, number));
  for (let passed = 0; passed < 22; passed += 1) {
    clock.advance(hour);
    for (const { number, report } of fleet) {
      if ((number * 7 + passed * 5) % 31 === 0)
        await report(`[output:http:http.0] collector.example.com:4318, HTTP status=503 (attempt ${passed})`);
      if (passed > 6 && (number + passed * 3) % 19 === 0)
        await report(`[input:tail:tail.0] inotify: no space left on device, file /var/log/app/${number}.log`);
      if (passed === 14 && number % 3 === 0) await fleet[number - 1]?.change(config('debug'));
      if (passed > 14 && number % 3 === 0 && (number + passed) % 2 === 0)
        await report(`[output:es:es.0] HTTP status=401 URI=/_bulk, node ${number}`);
      if (passed === 20 && number === 4)
        await report('[filter:lua:lua.0] نص [error] \u202efunction name is required');
    }
    if (passed === 10) await dismissFirst(dashboard);
  }
  clock.advance(hour / 2);
  const expiresAt = new Date(clock.now() + 3 * day).toISOString();
  const { id: projectID } = dashboard.app.project;
  await createToken(dashboard.admin, { projectID, body: { name: 'ci-deploy', expiresAt } });
}

async function addAgent({ address, agents }: Dashboard, number: number): Promise<DemoAgent> {
  const { id: agentID, token } = await registerAgent(agents, {
    body: {
      name: `edge-${String(number).padStart(3, '0')}`,
      machineID: `machine-${number}`,
      type: 'fluentbit',
      version: number % 4 === 0 ? '5.0.9' : '5.1.1',
      fleetID: number % 5 === 0 ? 'stores' : 'edge',
      rawConfig: config('info'),
      ...(number % 13 === 0 ? { heartbeatSeconds: 30 } : {}),
    },
  });
  const client = createClient({ url: address, credential: { agentToken: token } });
  return {
    agentID,
    number,
    report: (error) => createAgentError(client, { agentID, body: { error } }),
    change: (rawConfig) => updateAgent(client, { agentID, body: { rawConfig } }),
  };
}

async function dismissFirst({ admin, app }: Dashboard): Promise<void> {
  const projectID = app.project.id;
  const { items } = await listAgentErrorGroups(admin, { projectID, last: 1 }).first();
  const [cause] = items;
  if (cause === undefined) return;
  const reason = 'The collector was restarted';
  const dismissal = await createDismissal(admin, {
    projectID,
    body: { reason, filter: { groupID: cause.id } },
  });
  // An error that is reported before its dismissal would be dismissed too.
  for (let isDone = !('id' in dismissal); !isDone; await pause(20))
    isDone = 'id' in dismissal && (await getDismissal(admin, { dismissalID: dismissal.id })).state === 'done';
}
