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
