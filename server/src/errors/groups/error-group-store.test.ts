import type { AgentErrorGroupSort } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorGroupStage } from '../../testing/stages/error-group-stage.ts';
import {
  type CountedErrorGroup,
  type ErrorGroupFilter,
  findErrorGroup,
  listErrorGroups,
} from './error-group-store.ts';
import { listAgentsOfGroup } from './group-agents-store.ts';
import { searchGroupsOfPart } from './part-group-store.ts';

let stage: ErrorGroupStage;
let projectID: string;
let first: string;
let second: string;
let third: string;

beforeAll(async () => {
  stage = await ErrorGroupStage.open();
  projectID = await stage.addProject();
  const other = await stage.addProject();
  first = await stage.addAgent(projectID);
  second = await stage.addAgent(projectID);
  third = await stage.addAgent(projectID);
  const foreign = await stage.addAgent(other);
  await stage.first.database.write
    .updateTable('agents')
    .set({ fleet_id: 'west' })
    .where('id', '=', third)
    .execute();
  const report = async (agentID: string, project: string, text: string) => {
    stage.clock.advance(1_000);
    const [outcome] = await stage.report(agentID, project, [text]);
    return outcome?.kind === 'created' ? outcome.id : '';
  };
  await report(first, projectID, 'no route to 10.0.0.1');
  await report(second, projectID, 'no route to 10.0.0.2');
  await report(third, projectID, 'disk full');
  await report(foreign, other, 'disk full');
  const dismissed = await report(first, projectID, 'bad key');
  await stage.dismiss(first, dismissed);
  await report(second, projectID, 'old setting');
  await stage.configure(second);
  await report(second, projectID, 'new setting');
  await stage.first.counter.drain();
});

afterAll(() => stage.close());

const all: Omit<ErrorGroupFilter, 'projectID'> = {
  state: 'any',
  text: undefined,
  since: undefined,
  until: undefined,
};

async function list(
  filter: Partial<ErrorGroupFilter>,
  sort: AgentErrorGroupSort = 'lastSeen',
  limit = 10,
): Promise<CountedErrorGroup[]> {
  const { database } = stage.first;
  const found: CountedErrorGroup[] = [];
  for (let before: { value: number; id: string } | undefined; ; ) {
    const page = await listErrorGroups(
      database.read,
      database.engine,
      { projectID, ...all, ...filter },
      sort,
      { limit, before },
    );
    const rows = page.slice(0, limit);
    found.push(...rows);
    const last = rows.at(-1);
    if (page.length <= limit || last === undefined) return found;
    before = { value: last.position_value, id: last.id };
  }
}

const examples = (groups: readonly CountedErrorGroup[]) => groups.map(({ example }) => example);
const counts = (groups: readonly CountedErrorGroup[]) =>
  groups.map(({ example, errors_count, agents_count }) => [example, errors_count, agents_count]);

describe('a list of groups', () => {
  it('has the groups of the project, last seen first, in pages of any size', async () => {
    const expected = ['new setting', 'old setting', 'bad key', 'disk full', 'no route to 10.0.0.1'];
    expect(examples(await list({}))).toEqual(expected);
    expect(examples(await list({}, 'lastSeen', 2))).toEqual(expected);
    expect(examples(await list({}, 'firstSeen', 2))).toEqual(expected);
  });

  it('counts errors and agents in the requested state', async () => {
    expect(counts(await list({ state: 'current' }))).toEqual([
      ['new setting', 1, 1],
      ['disk full', 1, 1],
      ['no route to 10.0.0.1', 1, 1],
    ]);
    expect(counts(await list({ state: 'superseded' }))).toEqual([
      ['old setting', 1, 1],
      ['no route to 10.0.0.1', 1, 1],
    ]);
    expect(counts(await list({ state: 'dismissed' }))).toEqual([['bad key', 1, 1]]);
    expect(counts(await list({ state: 'open', text: 'ROUTE' }))).toEqual([['no route to 10.0.0.1', 2, 2]]);
  });

  it('can be sorted by agents, with the same order in pages of one', async () => {
    const [most] = await list({ state: 'open' }, 'agents', 1);
    expect(most?.example).toBe('no route to 10.0.0.1');
    expect((await list({ state: 'open' }, 'agents', 1)).length).toBe(4);
    expect((await list({}, 'occurrences'))[0]?.example).toBe('no route to 10.0.0.1');
  });

  it('can be filtered by fleet and by time', async () => {
    const { database } = stage.first;
    const filter = { projectID, ...all, fleetID: 'west' };
    const search = { db: database.read, goOn: () => undefined };
    const ofFleet = (sort: AgentErrorGroupSort) =>
      searchGroupsOfPart(search, database.engine, { filter, sort, limit: 10, before: undefined });
    expect(examples(await ofFleet('lastSeen'))).toEqual(['disk full']);
    expect(examples(await ofFleet('agents'))).toEqual(['disk full']);
    expect(examples(await list({ since: stage.clock.now() }))).toEqual(['new setting']);
    expect(examples(await list({ until: stage.clock.now() - 4_000 }))).toEqual(['no route to 10.0.0.1']);
  });
});

describe('one group', () => {
  it('finds a group by its id, and lists the agents of the group by state', async () => {
    const { database } = stage.first;
    const [group] = await list({ text: 'no route' });
    const found = await findErrorGroup(database.read, group?.id ?? '');
    expect(found?.pattern).toBe(group?.pattern);
    if (group === undefined) throw new Error('there is no such group');
    // Of many agents, a page is found in another way.
    for (const agents of [group.agents, 100_000]) {
      const agentsIn = async (state: ErrorGroupFilter['state'], before?: string) => {
        const page = { limit: 10, before };
        const ofGroup = { ...group, agents };
        const rows = await listAgentsOfGroup(database.read, database.engine, ofGroup, state, page);
        return rows.map(({ id, errors_count }) => [id, errors_count]);
      };
      expect(await agentsIn('any')).toEqual([
        [second, 1],
        [first, 1],
      ]);
      expect(await agentsIn('current')).toEqual([[first, 1]]);
      expect(await agentsIn('any', second)).toEqual([[first, 1]]);
    }
  });
});
