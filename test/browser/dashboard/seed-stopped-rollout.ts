import { createClient, createFleet, createFleetVersion, createToken, startRollout } from '@muster/client';
import { StockAgent } from '../../../server/src/testing/calls/stock-agent.ts';
import type { Dashboard } from './start-dashboard.ts';

const agentsCount = 60;
const soakSeconds = 120;

const config = (release: number, port: number) => `# release ${release}
[SERVICE]
    flush       1
    log_level   info

[INPUT]
    name   tail
    path   /var/log/app/*.log
    tag    app.*

[OUTPUT]
    name   http
    match  *
    host   collector.example.net
    port   ${port}
    tls    on
`;

/** A rollout whose version sends to the wrong port: it has stopped by itself in its first stage, and its agents are back. Always the same. */
export async function seedStoppedRollout({
  admin,
  address,
  app: { test, project },
}: Dashboard): Promise<void> {
  const projectID = project.id;
  const { id: fleetID } = await createFleet(admin, {
    projectID,
    body: { name: 'us-east-1', rawConfig: config(41, 443), note: 'Release 41' },
  });
  const agents: StockAgent[] = [];
  for (let number = 1; number <= agentsCount; number += 1) {
    const name = `edge-${String(1_600 + number * 7)}`;
    const agent = new StockAgent(test, { project, name, machineID: name });
    await agent.startByName('us-east-1');
    agents.push(agent);
  }
  const { token } = await createToken(admin, {
    projectID,
    body: { name: 'ci-deploy', permissions: ['read:fleet', 'update:fleet'] },
  });
  const { id: versionID } = await createFleetVersion(admin, {
    fleetID,
    body: { rawConfig: config(42, 9), note: 'Release 42' },
  });
  // Each agent was heard since the last one has joined.
  await ask(agents);
  const body = {
    versionID,
    stages: ['20%', '50%', '100%'].map((share) => ({ agents: share, soakSeconds })),
    reason: 'Release 42',
  };
  await startRollout(createClient({ url: address, credential: { projectToken: token } }), { fleetID, body });
  const updated = await ask(agents);
  for (const [place, agent] of updated.slice(3).entries()) {
    test.clock.advance(900);
    await agent.poll();
    await test.request('POST', `/v1/agents/${agent.agent?.id}/errors`, {
      as: { agent: agent.agent?.token ?? '' },
      body: {
        error: `[output:http:http.0] no upstream connections available to 10.31.${place * 11 + 4}.7:9`,
      },
    });
  }
  // It is held for a minute, stops, and is over when all of them are back.
  for (let look = 0; look < 8; look += 1) {
    await test.app.runRollouts();
    test.clock.advance(10_000);
    await ask(agents);
  }
  await test.app.runRollouts();

  /** Those that have got another configuration run it afterwards. */
  async function ask(all: readonly StockAgent[]): Promise<readonly StockAgent[]> {
    const changed: StockAgent[] = [];
    for (const agent of all) if (await agent.poll()) changed.push(agent);
    for (const agent of changed) await agent.reload();
    return changed;
  }
}
