import { createFleet, createFleetVersion, getAgent, updateFleet } from '@muster/client';
import { StockAgent } from '../../../server/src/testing/calls/stock-agent.ts';
import type { Dashboard } from './start-dashboard.ts';

const minute = 60_000;

const config = (port: number, more = '') => `[INPUT]
    name  cpu
    tag   host.cpu

[OUTPUT]
    name  http
    match *
    host  collector.example.net
    port  ${port}
${more}`;

interface FleetIDs {
  /** Serves version 2: three agents run it, one runs something else, and one refused it. */
  readonly drifted: string;
  /** Serves version 1, which both of its agents run. Version 2 is saved, and nobody gets it. */
  readonly calm: string;
  /** The second version of that one. */
  readonly savedVersion: string;
  /** Has no version. */
  readonly unserved: string;
  /** Of the first one: it runs something else. */
  readonly driftedAgent: string;
}

/** A fleet in each state, with agents that ask as stock ones do. */
export async function seedFleets({ admin, app: { test, project } }: Dashboard): Promise<FleetIDs> {
  const { clock } = test;
  const projectID = project.id;
  const join = async (fleet: string, name: string) => {
    const agent = new StockAgent(test, { project, name, machineID: name });
    await agent.startByName(fleet);
    await ask(agent);
    return agent;
  };
  const ask = async (agent: StockAgent) => {
    clock.advance(5_000);
    await agent.poll();
    // What polls have shown is stored at the latest when somebody asks for it.
    if (agent.agent !== undefined) await getAgent(admin, { agentID: agent.agent.id });
  };
  const { id: unserved } = await createFleet(admin, { projectID, body: { name: 'lab' } });
  const { id: calm } = await createFleet(admin, {
    projectID,
    body: { name: 'eu-west-1', rawConfig: config(443), note: 'First one' },
  });
  const calmAgents = [await join('eu-west-1', 'west-1'), await join('eu-west-1', 'west-2')];

  const { id: drifted } = await createFleet(admin, {
    projectID,
    body: { name: 'eu-central-1', rawConfig: config(24_224), note: 'Send to the old collector' },
  });
  const agents: StockAgent[] = [];
  for (const name of ['edge-1', 'edge-2', 'edge-3', 'edge-4', 'edge-5'])
    agents.push(await join('eu-central-1', name));
  clock.advance(10 * minute);
  await updateFleet(admin, {
    fleetID: drifted,
    body: { rawConfig: config(443, '    tls   on\n'), note: 'Encrypt what is sent' },
  });
  const [refusing, changed, ...others] = agents;
  for (const agent of [...others, changed].filter((one) => one !== undefined)) {
    await ask(agent);
    await agent.reload();
    await ask(agent);
  }
  await changed?.reload(`${changed.config}\n[OUTPUT]\n    name  null\n    match *\n`);
  if (refusing !== undefined) await ask(refusing);
  const { id: savedVersion } = await createFleetVersion(admin, {
    fleetID: calm,
    body: { rawConfig: config(443, '    compress gzip\n'), note: 'Compress what is sent' },
  });
  // The first of these polls says that it has the version, and the second that it goes on without it.
  for (let poll = 0; poll < 2; poll += 1) {
    clock.advance(2 * minute);
    for (const agent of [...calmAgents, ...agents]) await ask(agent);
  }
  return { drifted, calm, savedVersion, unserved, driftedAgent: changed?.agent?.id ?? '' };
}
