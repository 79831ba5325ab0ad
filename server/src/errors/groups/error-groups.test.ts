import { foldError } from '@muster/faults';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ErrorGroupStage } from '../../testing/stages/error-group-stage.ts';
import { groupIDOf } from './identity/error-group.ts';

const text = 'cannot reach host 10.0.0.1';
const sameCause = 'cannot reach host 10.0.0.2';

let stage: ErrorGroupStage;
let projectID: string;
let agentID: string;
let otherAgentID: string;

beforeEach(async () => {
  stage = await ErrorGroupStage.open();
  projectID = await stage.addProject();
  agentID = await stage.addAgent(projectID);
  otherAgentID = await stage.addAgent(projectID);
});

afterEach(() => stage.close());

async function group() {
  await stage.first.counter.catchUp();
  const row = await stage.first.database.write
    .selectFrom('agent_error_groups')
    .selectAll()
    .where('id', '=', groupIDOf(projectID, foldError(text)))
    .executeTakeFirstOrThrow();
  return row;
}

async function report(agent: string, error: string): Promise<string> {
  stage.clock.advance(1_000);
  const [outcome] = await stage.report(agent, projectID, [error]);
  if (outcome?.kind !== 'created') throw new Error(`the report was ${outcome?.kind}`);
  return outcome.id;
}

async function dismiss(agent: string, id: string): Promise<number> {
  stage.clock.advance(1_000);
  expect(await stage.dismiss(agent, id)).toBe(true);
  return stage.clock.now();
}

describe('a group of errors', () => {
  it('has an id that depends only on the project and the pattern', () => {
    expect(groupIDOf(projectID, 'a')).toBe(groupIDOf(projectID, 'a'));
    expect(groupIDOf('019b76da-a800-7000-8000-000000000001', 'cannot reach host <number>')).toBe(
      'b6834202-4572-8f9a-8e3c-85295df1d4fc',
    );
    expect(groupIDOf(projectID, 'a')).not.toBe(groupIDOf(agentID, 'a'));
    expect(groupIDOf(projectID, 'a')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('counts errors and agents by state, and keeps when it was first and last seen', async () => {
    await report(agentID, text);
    const firstSeenAt = stage.clock.now();
    const second = await report(agentID, sameCause);
    await report(otherAgentID, text);
    const lastSeenAt = stage.clock.now();
    await dismiss(agentID, second);
    await stage.configure(otherAgentID);
    expect(await group()).toMatchObject({
      project_id: projectID,
      pattern: foldError(text),
      example: text,
      first_seen_at: firstSeenAt,
      last_seen_at: lastSeenAt,
      occurrences: 3,
      current_errors: 1,
      superseded_errors: 1,
      dismissed_errors: 1,
      current_agents: 1,
      superseded_agents: 1,
      open_agents: 2,
      dismissed_agents: 1,
      agents: 2,
      dismissed_at: null,
      regressed_at: null,
    });
  });
});

describe('a completely dismissed group', () => {
  it('regresses with the first error that is created afterwards', async () => {
    const first = await report(agentID, text);
    const second = await report(otherAgentID, text);
    await dismiss(agentID, first);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: null });
    const dismissedAt = await dismiss(otherAgentID, second);
    expect(await group()).toMatchObject({ dismissed_at: dismissedAt, regressed_at: null });
    const third = await report(agentID, sameCause);
    const regressedAt = stage.clock.now();
    await report(otherAgentID, sameCause);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: regressedAt });
    await dismiss(agentID, third);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: regressedAt });
  });

  it('regresses even if the dismissal and the new error are counted in one portion', async () => {
    const first = await report(agentID, text);
    await dismiss(agentID, first);
    await report(otherAgentID, text);
    const regressedAt = stage.clock.now();
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: regressedAt });
  });

  it('does not regress when an error is reopened', async () => {
    const first = await report(agentID, text);
    await dismiss(agentID, first);
    expect(await group()).toMatchObject({ dismissed_at: stage.clock.now() });
    const row = await stage.first.errors.find(first);
    expect(row && (await stage.first.errors.reopen(row))).toEqual({ kind: 'reopened' });
    await report(otherAgentID, text);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: null });
  });

  it('is not dismissed when its last current error is superseded', async () => {
    await report(agentID, text);
    await stage.configure(agentID);
    expect(await group()).toMatchObject({ current_errors: 0, superseded_errors: 1, dismissed_at: null });
    await report(agentID, text);
    expect(await group()).toMatchObject({ current_errors: 1, superseded_errors: 1, regressed_at: null });
  });

  it('counts as dismissed although superseded errors are open', async () => {
    await report(agentID, text);
    await stage.configure(agentID);
    const second = await report(agentID, text);
    const dismissedAt = await dismiss(agentID, second);
    expect(await group()).toMatchObject({ superseded_errors: 1, dismissed_at: dismissedAt });
  });
});

describe('a group of which some errors were dismissed', () => {
  it('regresses when one of them comes back, once for each dismissal', async () => {
    const first = await report(agentID, text);
    await report(otherAgentID, text);
    await dismiss(agentID, first);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: null });
    const back = await report(agentID, sameCause);
    const regressedAt = stage.clock.now();
    await report(agentID, text);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: regressedAt });
    await dismiss(agentID, back);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: regressedAt });
    await report(agentID, sameCause);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: stage.clock.now() });
  });

  it('regresses even if the dismissal and the error that is back are counted in one portion', async () => {
    await report(otherAgentID, text);
    await dismiss(agentID, await report(agentID, text));
    await report(agentID, text);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: stage.clock.now() });
  });

  it('regresses also if the agent got another configuration before the dismissal was counted', async () => {
    const first = await report(agentID, text);
    await report(otherAgentID, text);
    expect(await group()).toMatchObject({ current_errors: 2 });
    await dismiss(agentID, first);
    await stage.configure(agentID);
    expect(await group()).toMatchObject({ current_errors: 1, dismissed_at: null, regressed_at: null });
    await report(agentID, text);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: stage.clock.now() });
  });

  it('does not regress with agents whose errors only a mute has dismissed', async () => {
    const muted = await stage.addAgent(projectID);
    const first = await report(agentID, text);
    await report(otherAgentID, text);
    await dismiss(agentID, first);
    const { id } = await group();
    await stage.mute(id, stage.clock.now() + 10_000, 'known');
    await report(muted, text);
    expect(await group()).toMatchObject({ current_errors: 1, dismissed_errors: 2 });
    stage.clock.advance(20_000);
    await report(muted, text);
    expect(await group()).toMatchObject({ current_errors: 2, dismissed_at: null, regressed_at: null });
    await report(agentID, text);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: stage.clock.now() });
  });

  it('does not regress with agents that never had one', async () => {
    const third = await stage.addAgent(projectID);
    const first = await report(agentID, text);
    await report(otherAgentID, text);
    await dismiss(agentID, first);
    await group();
    await report(third, text);
    await report(otherAgentID, sameCause);
    expect(await group()).toMatchObject({ dismissed_at: null, regressed_at: null });
  });
});

describe('an open error of an earlier configuration', () => {
  it('is marked as superseded with the time at which the service noticed it', async () => {
    const id = await report(agentID, text);
    await stage.configure(agentID);
    await group();
    const row = await stage.first.database.write
      .selectFrom('agent_errors')
      .select('superseded_at')
      .where('id', '=', id)
      .executeTakeFirst();
    expect(row).toEqual({ superseded_at: stage.clock.now() });
  });

  it('is marked even if it was reopened later', async () => {
    const id = await report(agentID, text);
    await dismiss(agentID, id);
    await stage.configure(agentID);
    await group();
    const error = await stage.first.errors.find(id);
    expect(error && (await stage.first.errors.reopen(error))).toEqual({ kind: 'reopened' });
    expect(await group()).toMatchObject({ current_errors: 0, superseded_errors: 1 });
    const row = await stage.first.database.write
      .selectFrom('agent_errors')
      .select('superseded_at')
      .where('id', '=', id)
      .executeTakeFirst();
    expect(row).toEqual({ superseded_at: stage.clock.now() });
  });
});
