import { foldError } from '@muster/faults';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { timeOfID } from '../../../foundation/clock.ts';
import { ErrorGroupStage } from '../../../testing/stages/error-group-stage.ts';
import { testEngine } from '../../../testing/test-database.ts';
import { findLimitState } from '../../limits/reached-limit-store.ts';
import { KnownOpenErrors } from '../../open-errors/known-open-errors.ts';
import { addRepeats } from '../../reporting/repeat-store.ts';
import { groupIDOf } from '../identity/error-group.ts';

if (testEngine !== 'postgres') {
  process.stderr.write('Skipped on SQLite: no report is admitted before a mute and stored after it.\n');
}

const text = 'cannot reach host 10.0.0.1';
const sameCause = 'cannot reach host 10.0.0.2';
const otherCause = 'no space';
const limits = { openPerAgent: 0, newPerAgentPerMinute: 4, newPerProjectPerSecond: 0 };

let stage: ErrorGroupStage;
let projectID: string;
let agentID: string;
let otherAgentID: string;
let groupID: string;

beforeEach(async () => {
  stage = await ErrorGroupStage.open({ replicas: 2, limits });
  projectID = await stage.addProject();
  agentID = await stage.addAgent(projectID);
  otherAgentID = await stage.addAgent(projectID);
  groupID = groupIDOf(projectID, foldError(text));
  // The group must be known before it can be muted.
  const { id } = await report(otherAgentID, text);
  await stage.dismiss(otherAgentID, id);
  await stage.first.counter.drain();
});

afterEach(() => stage.close());

async function report(agent: string, error: string, replica = stage.first) {
  stage.clock.advance(1_000);
  const [outcome] = await stage.report(agent, projectID, [error], replica);
  if (outcome?.kind !== 'created' && outcome?.kind !== 'ignored') {
    throw new Error(`the report was ${outcome?.kind}`);
  }
  return outcome;
}

async function mute(milliseconds: number, replica = stage.first): Promise<string> {
  const until = stage.clock.now() + milliseconds;
  expect(await stage.mute(groupID, until, 'known until Monday', replica)).toBe(true);
  return new Date(until).toISOString();
}

async function counts() {
  await stage.first.counter.drain();
  const { stored, counted } = await stage.countAll();
  expect(stored).toEqual(counted);
  const { current_errors, dismissed_errors, occurrences, regressed_at } = await stage.first.database.write
    .selectFrom('agent_error_groups')
    .selectAll()
    .where('id', '=', groupID)
    .executeTakeFirstOrThrow();
  return { current_errors, dismissed_errors, occurrences, regressed_at };
}

describe('an error of a muted group', () => {
  it('is stored as dismissed by the service, with a reason that names the mute', async () => {
    const until = await mute(60_000);
    const outcome = await report(agentID, sameCause);
    expect(outcome).toEqual({
      kind: 'created',
      id: outcome.id,
      createdAt: stage.clock.now(),
      isMuted: true,
    });
    expect(await stage.first.errors.find(outcome.id)).toMatchObject({
      agent_id: agentID,
      error: sameCause,
      group_id: groupID,
      occurrences: 1,
      dismissed_at: stage.clock.now(),
      dismiss_reason: `muted until ${until}: known until Monday`,
      dismissed_by_kind: 'system',
      dismissed_by_id: null,
      is_muted: 1,
    });
    expect(await report(agentID, otherCause)).toEqual({
      kind: 'created',
      id: expect.any(String),
      createdAt: stage.clock.now(),
    });
  });

  it('is counted as dismissed and is no regression', async () => {
    expect(await counts()).toEqual({
      current_errors: 0,
      dismissed_errors: 1,
      occurrences: 1,
      regressed_at: null,
    });
    await mute(60_000);
    await report(agentID, text);
    expect(await counts()).toEqual({
      current_errors: 0,
      dismissed_errors: 2,
      occurrences: 2,
      regressed_at: null,
    });
    await stage.unmute(groupID);
    await report(agentID, text);
    expect(await counts()).toEqual({
      current_errors: 1,
      dismissed_errors: 2,
      occurrences: 3,
      regressed_at: stage.clock.now(),
    });
  });

  it('is repeated by equal reports while the mute lasts, on every replica', async () => {
    await mute(60_000);
    const { id, createdAt } = await report(agentID, text);
    const repeated = { kind: 'ignored', id, createdAt, isMuted: true };
    expect(await report(agentID, text)).toEqual(repeated);
    expect(await report(agentID, text, stage.replica(1))).toEqual(repeated);
    const { write, engine } = stage.first.database;
    await addRepeats(write, engine, [{ agentID, id, count: 2, lastSeenAt: stage.clock.now() }]);
    expect((await counts()).occurrences).toBe(4);
  });

  it('is stored once for equal reports in one batch', async () => {
    await mute(60_000);
    const outcomes = await stage.report(agentID, projectID, [text, sameCause, text]);
    expect(outcomes.map((one) => 'isMuted' in one && [one.kind, one.isMuted])).toEqual([
      ['created', true],
      ['created', true],
      ['ignored', true],
    ]);
  });

  it('is stored again under another configuration', async () => {
    await mute(60_000);
    const { id } = await report(agentID, text);
    await stage.configure(agentID);
    const outcome = await report(agentID, text);
    expect(outcome).toMatchObject({ kind: 'created', isMuted: true });
    expect(outcome.id).not.toBe(id);
  });

  it('is stored open again after the mute, at exactly its end', async () => {
    await mute(2_000);
    expect(await report(agentID, text)).toMatchObject({ kind: 'created', isMuted: true });
    expect(await report(agentID, text)).toEqual({
      kind: 'created',
      id: expect.any(String),
      createdAt: stage.clock.now(),
    });
  });

  it('is stored open after the group is unmuted, and muted by another replica at once', async () => {
    await mute(60_000, stage.replica(1));
    expect(await report(agentID, text)).toMatchObject({ kind: 'created', isMuted: true });
    await stage.unmute(groupID, stage.replica(1));
    expect(await report(agentID, text)).toEqual({
      kind: 'created',
      id: expect.any(String),
      createdAt: stage.clock.now(),
    });
  });

  it('is not remembered as open', async () => {
    const knownOpen = new KnownOpenErrors({ randomBytes: (size) => new Uint8Array(size) });
    const store = knownOpen.learnFrom((reports) =>
      stage.report(
        agentID,
        projectID,
        reports.map(({ error }) => error),
      ),
    );
    const submit = (error: string) => {
      const id = stage.newID();
      return store([{ id, agentID, projectID, error, createdAt: timeOfID(id), generation: 1 }]);
    };
    await mute(60_000);
    await submit(text);
    await submit(text);
    await submit(otherCause);
    expect(knownOpen.find(agentID, projectID, text)).toBeUndefined();
    expect(knownOpen.find(agentID, projectID, otherCause)).toBeDefined();
  });

  it('counts towards the limits on new errors, and its repeats do not', async () => {
    await mute(60_000);
    const { id, createdAt } = await report(agentID, text);
    for (const number of [2, 3, 4]) {
      expect(await report(agentID, `cannot reach host 10.0.0.${number}`)).toMatchObject({ kind: 'created' });
    }
    const [refused] = await stage.report(agentID, projectID, ['cannot reach host 10.0.0.5']);
    expect(refused).toEqual({ kind: 'limited', limit: 'newPerAgentPerMinute' });
    expect(await report(agentID, text)).toEqual({ kind: 'ignored', id, createdAt, isMuted: true });
    const { repeatableDigests } = await findLimitState(
      stage.first.database,
      limits,
      { agentID, projectID },
      stage.clock.now(),
      10,
    );
    expect(repeatableDigests?.length).toBe(4 * 8);
    await stage.unmute(groupID);
    const [unmuted] = await stage.report(agentID, projectID, [text]);
    expect(unmuted).toEqual({ kind: 'limited', limit: 'newPerAgentPerMinute' });
  });

  it('takes no room among the open errors of its agent, also in one batch with others', async () => {
    const limited = await ErrorGroupStage.open({
      limits: { ...limits, openPerAgent: 4, newPerAgentPerMinute: 0 },
    });
    try {
      const project = await limited.addProject();
      const agent = await limited.addAgent(project);
      const group = groupIDOf(project, foldError(text));
      await limited.report(await limited.addAgent(project), project, [text]);
      await limited.first.counter.drain();
      await limited.mute(group, limited.clock.now() + 60_000, 'known until Monday');
      const muted = ['2', '3', '4', '5', '6'].map((host) => `cannot reach host 10.0.0.${host}`);
      const outcomes = await limited.report(agent, project, [
        'no space',
        ...muted,
        'no permission',
        'no host',
      ]);
      expect(outcomes.map((outcome) => [outcome.kind, 'isMuted' in outcome])).toEqual([
        ['created', false],
        ...muted.map(() => ['created', true]),
        ['created', false],
        ['created', false],
      ]);
      const [fourth, fifth] = await limited.report(agent, project, ['no memory', 'no time']);
      expect([fourth?.kind, fifth]).toEqual(['created', { kind: 'limited', limit: 'openPerAgent' }]);
    } finally {
      await limited.close();
    }
  });

  it('is an ordinary error once it is reopened', async () => {
    await mute(60_000);
    const { id, createdAt } = await report(agentID, text);
    const row = await stage.first.errors.find(id);
    if (row === undefined) throw new Error('the error is stored');
    expect(await stage.first.errors.reopen(row)).toEqual({ kind: 'reopened' });
    expect(await stage.first.errors.find(id)).toMatchObject({ dismissed_at: null, is_muted: null });
    expect(await report(agentID, text)).toEqual({ kind: 'ignored', id, createdAt });
    await stage.dismiss(agentID, id);
    const outcome = await report(agentID, text);
    expect(outcome).toMatchObject({ kind: 'created', isMuted: true });
    expect(outcome.id).not.toBe(id);
    expect((await counts()).dismissed_errors).toBe(3);
  });
});

describe('an open error of a group that is muted later', () => {
  it('stays open and is repeated', async () => {
    const { id, createdAt } = await report(agentID, text);
    await mute(60_000);
    expect(await report(agentID, text)).toEqual({ kind: 'ignored', id, createdAt });
    expect(await stage.first.errors.find(id)).toMatchObject({ dismissed_at: null });
  });
});

describe('a mute', () => {
  it('is replaced by a later one', async () => {
    await mute(1_000);
    const until = await mute(60_000);
    const { id } = await report(agentID, text);
    expect(await stage.first.errors.find(id)).toMatchObject({
      dismiss_reason: `muted until ${until}: known until Monday`,
    });
  });

  it('is refused for a group that does not exist', async () => {
    expect(await stage.mute(agentID, stage.clock.now() + 1, 'known')).toBe(false);
    expect(await stage.unmute(agentID)).toBe(false);
  });

  it.runIf(testEngine === 'postgres')('is never missed by a report that was admitted before it', async () => {
    await report(agentID, otherCause);
    const id = stage.newID();
    const admitted = { id, agentID, projectID, error: text, createdAt: timeOfID(id), generation: 1 };
    await mute(60_000, stage.replica(1));
    expect(await stage.first.reports([admitted])).toEqual([{ kind: 'credential_changed' }]);
    expect(await stage.first.reports([{ ...admitted, generation: 2 }])).toEqual([
      { kind: 'created', id, createdAt: timeOfID(id), isMuted: true },
    ]);
  });
});
