import { sql } from 'kysely';
import { minIDAt } from '../../clock.ts';
import { allOf } from '../../database/all-of.ts';
import { inLockOrder } from '../../database/in-lock-order.ts';
import type { ErrorRows, Range, Sql, Walk } from './error-rows.ts';

const greatestID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const leastID = '00000000-0000-0000-0000-000000000000';

const epochOfAgent = sql`(select own.epoch from agents as own where own.id = e.agent_id)`;

export const errorRowsOnPostgres: ErrorRows = {
  engine: 'postgres',
  table: sql`agent_errors`,
  key: sql`id`,
  id: sql`id`,
  agent: sql`agent_id`,
  agentID: sql`agent_id`,
  createdAt: sql`created_at`,
  group: sql`group_id`,
  groupKey: sql`id`,
  digest: sql`error_digest`,
  digestPrefix: (bytes) => sql`encode(substring(error_digest from 1 for ${sql.lit(bytes)}), 'hex')`,
  epochOfAgent,
  configOfAgent: sql`(select agents.config_id::text from agents where agents.id = e.agent_id)`,
  dismissal: sql`dismissal_id`,
  columns: sql`e.*, ${epochOfAgent} as agent_epoch`,
  names: sql``,
  walked: sql`e.*`,
  walkedAgents: sql`e.id, e.agent_id`,
  fromPage: (page) => sql`(${page}) as e`,
  source,
  openOf: (agent) => sql`agent_errors as e where e.agent_id = ${agent} and e.dismissed_at is null`,
  mutedOf: (agent) => sql`agent_errors as e where e.agent_id = ${agent} and e.is_muted is not null`,
  equalOpen: sql`agent_errors as other
    where other.agent_id = e.agent_id and other.epoch = e.epoch and other.error_digest = e.error_digest
      and other.dismissed_at is null`,
  // No index of open errors has it: with old statistics, reading all open errors of a project looks cheaper than a look-up of each.
  isOpen: sql`coalesce(e.dismissed_at, -1) = -1`,
  ofEach: (owners, errors, limit) => sql`(${owners}) as owner
    cross join lateral (
      select e.project_id, e.id from agent_errors as e where ${sql.raw(conditionsOfOwners[errors])}
      limit ${limit}) as e`,
  keyOrder(walk, direction) {
    const order = sql.raw(direction);
    if (walk.of === 'groups' && walk.ids.length === 1) return sql`e.group_id ${order}, e.id ${order}`;
    return walk.of === 'agents' && walk.ids.length === 1 && walk.state === 'dismissed'
      ? sql`e.agent_id ${order}, e.id ${order}`
      : sql`e.id ${order}`;
  },
  partsOf: (walk) => [walk],
  isAgent: (ids) => sql`e.agent_id = any(${ids}::uuid[])`,
  isGroup: (ids) => sql`coalesce(e.group_id) = any(${ids}::uuid[])`,
  isFleet: (projectID, fleetID) =>
    sql`e.agent_id in (select id from agents where project_id = ${projectID} and fleet_id = ${fleetID})`,
  isProject: (id) => sql`e.project_id is not distinct from ${id}::uuid`,
  // An error's id holds its time, so that these bounds and the order share one index.
  isSince: (milliseconds) => sql`e.id >= ${minIDAt(milliseconds)}`,
  isUntil: (milliseconds) => sql`e.id < ${minIDAt(milliseconds)}`,
  hasID: (id) => sql`e.id = ${id}`,
  isDue: (keys, condition) =>
    sql`(e.project_id, e.id) in (${inLockOrder(sql`
    select e.project_id, e.id from agent_errors as e
    where (e.project_id, e.id) in (${keys}) and ${condition}`)})`,
  keys: sql`e.project_id, e.id`,
};

const conditionsOfOwners = {
  project: 'e.project_id = owner.id',
  open: 'e.agent_id = owner.id and e.dismissed_at is null',
  dismissed: 'e.agent_id = owner.id and e.dismissed_at is not null',
} as const;

function source(walk: Walk, range: Range, columns: Sql = sql`e.*`): Sql {
  const bounds = boundsOf(range);
  switch (walk.of) {
    case 'agents':
      return ofAgents(walk, range, columns);
    case 'groups': {
      const [id, ...others] = walk.ids;
      return id === undefined || others.length > 0
        ? where([sql`e.group_id = any(${walk.ids}::uuid[])`, ...bounds])
        : where([sql`e.group_id is not null`, ...boundsOf(range, sql`e.group_id`, id)]);
    }
    case 'project': {
      const isOfProject = sql`e.project_id = ${walk.id}`;
      if (walk.state === 'any') return where([isOfProject, ...bounds]);
      const isOpen = sql`e.dismissed_at is null`;
      if (walk.state === 'open') return where([isOfProject, isOpen, ...bounds]);
      const isSuperseded = sql.raw(walk.state === 'superseded' ? 'is not null' : 'is null');
      return where([isOfProject, isOpen, sql`e.superseded_at ${isSuperseded}`, ...bounds]);
    }
    case 'superseded':
      return where([
        sql`e.superseded_at < ${walk.before} and e.dismissed_at is null and e.superseded_at is not null`,
      ]);
    case 'dismissed':
      // The first condition is that of the index.
      return where([sql`e.dismissed_at > 0 and e.dismissed_at < ${walk.before}`]);
  }
}

/**
 * No index has all errors of an agent: the open ones are in the index of the ignore rule and are all read, as many as the limit on open errors allows; of
 * the dismissed ones, the first of the range are.
 *
 * Written so that no statistics make a walk through all errors by their ids look better: `materialized` keeps the order of a list from the open
 * ones, and the dismissed ones compare agent and id together.
 */
function ofAgents({ ids, state }: Extract<Walk, { of: 'agents' }>, range: Range, columns: Sql): Sql {
  const [id, ...others] = ids;
  const isInState = sql`e.dismissed_at is ${sql.raw(state === 'open' ? 'null' : 'not null')}`;
  if (id === undefined || others.length > 0)
    return where([errorRowsOnPostgres.isAgent(ids), isInState, ...boundsOf(range)]);
  const ofOne = where([isInState, ...boundsOf(range, sql`e.agent_id`, id)]);
  if (state === 'dismissed') return ofOne;
  return sql`(
    with open_errors as materialized (select ${columns} from ${ofOne} and e.agent_id = ${id})
    select * from open_errors) as e where true`;
}

/** @param column compared together with the id, with one value */
function boundsOf({ after, from, before, through }: Range, column?: Sql, value?: string): Sql[] {
  const bound = (comparison: string, id: string): Sql =>
    column === undefined
      ? sql`e.id ${sql.raw(comparison)} ${id}`
      : sql`(${column}, e.id) ${sql.raw(comparison)} (${value}::uuid, ${id}::uuid)`;
  const bounds: Sql[] = [];
  if (from !== undefined) bounds.push(bound('>=', from));
  else if (after !== undefined) bounds.push(bound('>', after));
  else if (column !== undefined) bounds.push(bound('>=', leastID));
  if (through !== undefined) bounds.push(bound('<=', through));
  else if (before !== undefined) bounds.push(bound('<', before));
  else if (column !== undefined) bounds.push(bound('<', greatestID));
  return bounds;
}

function where([first = sql`true`, ...others]: readonly Sql[]): Sql {
  return sql`agent_errors as e where ${allOf(first, others)}`;
}
