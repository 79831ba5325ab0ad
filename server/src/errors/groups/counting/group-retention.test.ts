import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markProjectDeleted } from '../../../fleet/projects/project-store.ts';
import { ErrorGroupStage } from '../../../testing/stages/error-group-stage.ts';
import { type GroupNote, noteGroups } from '../group-note-store.ts';

const day = 86_400_000;

let stage: ErrorGroupStage;
let projectID: string;
let agentID: string;

beforeEach(async () => {
  stage = await ErrorGroupStage.open();
  projectID = await stage.addProject();
  agentID = await stage.addAgent(projectID);
});

afterEach(() => stage.close());

async function report(text: string): Promise<string> {
  const [outcome] = await stage.report(agentID, projectID, [text]);
  if (outcome?.kind !== 'created') throw new Error(`the report was ${outcome?.kind}`);
  return outcome.id;
}

async function groupIDs(): Promise<string[]> {
  await stage.first.counter.drain();
  const rows = await stage.first.database.write.selectFrom('agent_error_groups').select('id').execute();
  return rows.map(({ id }) => id);
}

describe('an open error of an earlier configuration', () => {
  it('is dismissed by the service after the given time, and other errors are not', async () => {
    const old = await report('one');
    await stage.configure(agentID);
    const { errors, database, counter } = stage.first;
    const supersededAt = stage.clock.now();
    await counter.drain();
    stage.clock.advance(day);
    const open = await report('one');
    expect(await errors.dismissSuperseded(supersededAt, stage.clock.now(), 10)).toEqual([]);
    expect(await errors.dismissSuperseded(supersededAt + 1, stage.clock.now(), 10)).toEqual([agentID]);
    expect(await errors.dismissSuperseded(supersededAt + 1, stage.clock.now(), 10)).toEqual([]);
    const agent = await database.write.selectFrom('agents').select('config_id').executeTakeFirst();
    expect(await errors.find(old)).toMatchObject({
      dismissed_at: stage.clock.now(),
      dismiss_reason: `superseded by configuration ${agent?.config_id}`,
      dismissed_by_kind: 'system',
      dismissed_by_id: null,
    });
    expect(await errors.find(open)).toMatchObject({ dismissed_at: null });
    await counter.drain();
    const { stored, counted } = await stage.countAll();
    expect(stored).toEqual(counted);
  });
});

describe('a superseded error that the service dismissed', () => {
  async function groupNow() {
    await stage.first.counter.drain();
    const group = stage.first.database.write.selectFrom('agent_error_groups');
    return group.select(['dismissed_at', 'partly_dismissed_at', 'regressed_at']).executeTakeFirstOrThrow();
  }

  /** As retention does. */
  async function dismissSuperseded(): Promise<string[]> {
    await stage.first.counter.drain();
    stage.clock.advance(7 * day);
    return stage.first.errors.dismissSuperseded(stage.clock.now(), stage.clock.now(), 10);
  }

  it('makes no regression of its cause, because nobody had dismissed it', async () => {
    await report('no route');
    await stage.configure(agentID);
    expect(await dismissSuperseded()).toEqual([agentID]);
    const nothing = { dismissed_at: null, partly_dismissed_at: null, regressed_at: null };
    expect(await groupNow()).toEqual(nothing);
    stage.clock.advance(day);
    await report('no route');
    expect(await groupNow()).toEqual(nothing);
  });

  it('makes none either beside an error that somebody has dismissed', async () => {
    await report('no route');
    await stage.configure(agentID);
    const other = await stage.addAgent(projectID);
    const third = await stage.addAgent(projectID);
    const [ofOther] = await stage.report(other, projectID, ['no route']);
    await stage.report(third, projectID, ['no route']);
    if (ofOther?.kind !== 'created') throw new Error('the report was stored');
    await stage.dismiss(other, ofOther.id);
    expect(await dismissSuperseded()).toEqual([agentID]);
    const before = await groupNow();
    expect(before).toMatchObject({ dismissed_at: null, partly_dismissed_at: expect.any(Number) });
    await report('no route');
    expect(await groupNow()).toEqual(before);
    await stage.report(other, projectID, ['no route']);
    expect(await groupNow()).toMatchObject({ regressed_at: stage.clock.now() });
  });

  it('is open again for as long as a new one if somebody reopens it', async () => {
    const id = await report('no route');
    await stage.configure(agentID);
    await stage.first.counter.drain();
    await stage.dismiss(agentID, id);
    stage.clock.advance(9 * day);
    const { errors, counter } = stage.first;
    const row = await errors.find(id);
    expect(row && (await errors.reopen(row))).toEqual({ kind: 'reopened' });
    await counter.drain();
    expect(await errors.dismissSuperseded(stage.clock.now(), stage.clock.now(), 10)).toEqual([]);
    stage.clock.advance(1);
    expect(await errors.dismissSuperseded(stage.clock.now(), stage.clock.now(), 10)).toEqual([agentID]);
  });
});

describe('a group without errors', () => {
  it('is removed after the retention time, and has the same id when its errors return', async () => {
    const id = await report('disk 1 is full');
    const [groupID] = await groupIDs();
    await stage.dismiss(agentID, id);
    stage.clock.advance(day);
    const { errors, counter } = stage.first;
    await counter.removeEmpty(stage.clock.now());
    expect(await groupIDs()).toEqual([groupID]);
    await errors.deleteDismissed(stage.clock.now(), 10);
    await groupIDs();
    await counter.removeEmpty(stage.clock.now() - 2 * day);
    expect(await groupIDs()).toEqual([groupID]);
    await counter.removeEmpty(stage.clock.now());
    expect(await groupIDs()).toEqual([]);
    await report('disk 2 is full');
    expect(await groupIDs()).toEqual([groupID]);
    const { stored, counted } = await stage.countAll();
    expect(stored).toEqual(counted);
  });

  it('stays as long as it has a note, a link or somebody who looks after it', async () => {
    const said = [
      { note: 'the disk is on order' },
      { link: 'https://t.example.com/7' },
      { assigneeID: agentID },
      {},
    ];
    for (const text of ['no disk', 'no host', 'no route', 'no name']) {
      await stage.dismiss(agentID, await report(text));
    }
    const { errors, counter, database } = stage.first;
    const ids = (await groupIDs()).sort();
    const none = { assigneeID: undefined, note: undefined, link: undefined };
    const by = { at: stage.clock.now(), by: { kind: 'user', id: agentID, name: null } } as const;
    const noteAll = async (change: Partial<GroupNote>, index: number) =>
      noteGroups(database.write, database.engine, [ids[index] ?? ''], { ...none, ...change, ...by });
    for (const [index, change] of said.entries()) await noteAll(change, index);
    stage.clock.advance(day);
    await errors.deleteDismissed(stage.clock.now(), 10);
    await groupIDs();
    await counter.removeEmpty(stage.clock.now());
    expect((await groupIDs()).sort()).toEqual(ids.slice(0, 3));
    for (const index of said.keys()) await noteAll({ assigneeID: null, note: null, link: null }, index);
    await counter.removeEmpty(stage.clock.now());
    expect(await groupIDs()).toEqual([]);
  });

  it('is removed at once if its project was deleted', async () => {
    await report('disk 1 is full');
    await groupIDs();
    await markProjectDeleted(stage.first.database.write, projectID, stage.clock.now());
    await stage.first.errors.deleteOfDeletedProjects(10);
    await groupIDs();
    await stage.first.counter.removeEmpty(0);
    expect(await groupIDs()).toEqual([]);
  });
});
