import type { AgentErrorGroupSort } from '@muster/contract';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { SearchTurn } from '../../foundation/database/searches.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type AgentsPart, isOfPart } from './agents-count-store.ts';
import {
  type CountedErrorGroup,
  countsOf,
  type ErrorGroupFilter,
  type ErrorGroupPosition,
  listErrorGroups,
} from './error-group-store.ts';

/** How many groups are read and counted at a time. */
const portion = 200;

interface PartSearch {
  readonly filter: ErrorGroupFilter & AgentsPart;
  readonly sort: AgentErrorGroupSort;
  readonly limit: number;
  readonly before: ErrorGroupPosition | undefined;
}

/**
 * Lists groups with errors of some agents of the project, and counts these alone. It reads the counts of all agents of the groups, in
 * portions. If another page follows, there is one more row than the page has.
 */
export async function searchGroupsOfPart(
  { db, goOn }: SearchTurn,
  engine: Engine,
  { filter, sort, limit, before }: PartSearch,
): Promise<CountedErrorGroup[]> {
  // To sort by these agents, all groups have to be counted first.
  const isByAgents = sort === 'agents';
  let found: CountedErrorGroup[] = [];
  let position = isByAgents ? undefined : before;
  for (;;) {
    goOn();
    const groups = await listErrorGroups(db, engine, filter, sort, { limit: portion, before: position });
    const some = groups.slice(0, portion);
    const counts = await countInPart(db, engine, filter, some);
    for (const group of some) {
      const count = counts.get(group.id);
      if (count === undefined) continue;
      const counted = { ...group, ...count };
      found.push(isByAgents ? { ...counted, position_value: count.agents_count } : counted);
    }
    if (isByAgents) found = found.filter((group) => isBehind(group, before)).sort(inOrder);
    found = found.slice(0, limit + 1);
    const last = some.at(-1);
    const isDone = last === undefined || groups.length <= portion || (!isByAgents && found.length > limit);
    if (isDone) return found;
    position = { value: last.position_value, id: last.id };
  }
}

interface PartCounts {
  readonly agents_count: number;
  readonly errors_count: number;
}

async function countInPart(
  db: Kysely<Tables>,
  engine: Engine,
  { state, ...part }: PartSearch['filter'],
  groups: readonly CountedErrorGroup[],
): Promise<Map<string, PartCounts>> {
  const isOne = isAnyID(
    engine,
    sql.ref('found.id'),
    groups.map(({ id }) => id),
  );
  const key = engine === 'sqlite' ? sql`key` : sql`id`;
  const pairs = sql`(
    select found.id as group_id, ${pairAgentID(engine)} as agent_id, ${countsOf[state].errors} as errors
    from (select id, ${key} as pair_key from agent_error_groups as found where ${isOne}) as found
    cross join agent_error_group_agents as pair
    where ${pairGroup(engine)} = found.pair_key)`;
  const { rows } = await sql<PartCounts & { group_id: string }>`
    select group_id, count(*) as agents_count, ${integer(engine, sql`sum(errors)`)} as errors_count
    from ${pairs} as pairs
    cross join agents
    where agents.id = pairs.agent_id and ${isOfPart(part)} and errors > 0
    group by group_id`.execute(db);
  return new Map(
    rows.map(({ group_id, agents_count, errors_count }) => [group_id, { agents_count, errors_count }]),
  );
}

function pairAgentID(engine: Engine): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`(select id from id_keys where key = pair.agent_key)` : sql`pair.agent_id`;
}

function pairGroup(engine: Engine): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`pair.group_key` : sql`pair.group_id`;
}

/** On PostgreSQL, a sum has a type that is answered as text. */
function integer(engine: Engine, sum: RawBuilder<unknown>): RawBuilder<unknown> {
  return engine === 'sqlite' ? sum : sql`${sum}::bigint`;
}

type Placed = Pick<CountedErrorGroup, 'position_value' | 'id'>;

function isBehind(group: Placed, before: ErrorGroupPosition | undefined): boolean {
  return before === undefined || inOrder({ position_value: before.value, id: before.id }, group) < 0;
}

/** Descending. Groups with equal values are sorted by id. */
function inOrder(one: Placed, other: Placed): number {
  if (one.position_value !== other.position_value) return other.position_value - one.position_value;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}
