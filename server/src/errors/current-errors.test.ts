import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorGroupStage } from '../testing/stages/error-group-stage.ts';
import type { ProjectErrorFilter } from './agent-error-store.ts';
import { groupIDOf } from './groups/identity/error-group.ts';

let stage: ErrorGroupStage;
let projectID: string;
let agentID: string;
let otherID: string;

beforeAll(async () => {
  stage = await ErrorGroupStage.open();
  projectID = await stage.addProject();
  agentID = await stage.addAgent(projectID);
  otherID = await stage.addAgent(projectID);
  const report = async (agent: string, text: string) => {
    stage.clock.advance(1);
    const [outcome] = await stage.report(agent, projectID, [text]);
    return outcome?.kind === 'created' ? outcome.id : '';
  };
  await report(agentID, 'old');
  await stage.dismiss(agentID, await report(agentID, 'old and done'));
  await stage.configure(agentID);
  await report(agentID, 'now');
  await stage.dismiss(agentID, await report(agentID, 'now and done'));
  await report(otherID, 'now');
  await stage.first.counter.drain();
  // Not counted yet: its errors are not marked.
  await stage.configure(otherID);
});

afterAll(() => stage.close());

async function list(filter: Partial<ProjectErrorFilter>): Promise<string[]> {
  const rows = await stage.first.errors.listOfProject(
    stage.first.database.read,
    {
      projectID,
      dismissed: undefined,
      text: undefined,
      agentID: undefined,
      fleetID: undefined,
      since: undefined,
      until: undefined,
      ...filter,
    },
    { limit: 10, before: undefined },
  );
  return rows.map(({ error, agent_id }) => (agent_id === otherID ? `${error} (other)` : error));
}

describe('errors of a project', () => {
  it('are narrowed to those of the configuration that their agent has now, before they are marked too', async () => {
    expect(await list({ current: true })).toEqual(['now and done', 'now']);
    expect(await list({ current: true, dismissed: false })).toEqual(['now']);
    expect(await list({ current: true, dismissed: false, agentID })).toEqual(['now']);
  });

  it('are narrowed to those of earlier configurations', async () => {
    expect(await list({ current: false })).toEqual(['now (other)', 'old and done', 'old']);
    expect(await list({ current: false, dismissed: false })).toEqual(['old']);
    await stage.first.counter.drain();
    expect(await list({ current: false, dismissed: false })).toEqual(['now (other)', 'old']);
  });

  it('are narrowed to a group, the newest first', async () => {
    const groupID = groupIDOf(projectID, 'now');
    expect(await list({ groupID })).toEqual(['now (other)', 'now']);
    expect(await list({ groupID, current: true })).toEqual(['now']);
    expect(await list({ groupID, agentID: otherID })).toEqual(['now (other)']);
    expect(await list({ groupID, dismissed: true })).toEqual([]);
  });
});
