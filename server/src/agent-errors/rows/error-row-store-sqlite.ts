import { sql } from 'kysely';
import { allOf } from '../../database/all-of.ts';
import {
  firstPlaceAt,
  idAtPlaceSql,
  idOfBytesSql,
  maxMoved,
  placeOfID,
  timeAtPlaceSql,
} from '../../database/id-place.ts';
import { isAnyID } from '../../database/is-any-id.ts';
import type { ErrorRows, Range, Sql, Walk } from './error-rows.ts';

/** Errors lie in the order of their places, which is the order of their ids. All indexes have the places of their rows. */
export const errorRowsOnSqlite: ErrorRows = {
  engine: 'sqlite',
  table: sql`agent_error_rows`,
  key: sql`place`,
  id: sql.raw(idAtPlaceSql),
  agent: sql`agent_key`,
  agentID: sql`(select id from id_keys where key = agent_key)`,
  createdAt: sql.raw(timeAtPlaceSql),
  group: sql`error_group`,
  groupKey: sql`key`,
  digest: sql`digest`,
  // Of 48 bits.
  digestPrefix: (bytes) => sql`printf('%0${sql.lit(2 * bytes)}x', digest >> ${sql.lit(48 - 8 * bytes)})`,
  epochOfAgent: sql`(
    select own.epoch from id_keys as own_key cross join agents as own on own.id = own_key.id
    where own_key.key = e.agent_key)`,
  configOfAgent: sql`(
    select config_id from id_keys join agents on agents.id = id_keys.id where id_keys.key = agent_key)`,
  dismissal: sql`dismissal`,
  columns: sql.raw(`
    agents.id as agent_id, ${idAtPlaceSql} as id, projects.id as project_id, error, epoch,
    ${idOfBytesSql('config_id')} as config_id, ${timeAtPlaceSql} as created_at, occurrences, last_seen_at,
    dismissed_at, dismiss_reason, dismissed_by_kind, dismissed_by_id, superseded_at, is_muted,
    (select own.epoch from agents as own where own.id = agents.id) as agent_epoch,
    (select error_groups.id from agent_error_groups as error_groups where error_groups.key = error_group) as group_id`),
  names: sql`
    cross join id_keys as agents on agents.key = agent_key
    cross join id_keys as projects on projects.key = project_key`,
  walked: sql`place`,
  walkedAgents: sql`place`,
  fromPage: (page) => sql`(${page}) as page cross join agent_error_rows as e using (place)`,
  source: (walk, range) => allOf(indexOf(walk), boundsOf(range)),
  openOf: (agent) => sql`agent_error_rows as e indexed by agent_error_rows_open
    where agent_key = ${keyOf(agent)} and dismissed_at is null`,
  mutedOf: (agent) => sql`agent_error_rows as e indexed by agent_error_rows_muted
    where agent_key = ${keyOf(agent)} and is_muted is not null`,
  equalOpen: sql`agent_error_rows as other indexed by agent_error_rows_open
    where other.agent_key = e.agent_key and other.epoch = e.epoch and other.digest = e.digest
      and other.dismissed_at is null and other.error = e.error`,
  isOpen: sql`e.dismissed_at is null`,
  ofEach(owners, errors) {
    const [index, condition] = indexesOfOwners[errors];
    return sql`(${owners}) as owner
      cross join id_keys as owner_key on owner_key.id = owner.id
      cross join agent_error_rows as e indexed by ${sql.raw(index)} on ${sql.raw(condition)}`;
  },
  keyOrder: (_walk, direction) => orders[direction],
  partsOf: (walk) =>
    walk.of === 'project' && walk.state === 'open'
      ? [
          { ...walk, state: 'current' },
          { ...walk, state: 'superseded' },
        ]
      : [walk],
  // One range is read in the order of the index; several are not.
  isAgent: (ids) =>
    ids.length === 1
      ? sql`agent_key = (select key from id_keys where id = ${ids[0]})`
      : sql`agent_key in (select key from id_keys where ${isAnyID('sqlite', sql.ref('id'), ids)})`,
  isGroup: (ids) =>
    ids.length === 1
      ? sql`error_group = (select key from agent_error_groups where id = ${ids[0]})`
      : sql`error_group in (select key from agent_error_groups where ${isAnyID('sqlite', sql.ref('id'), ids)})`,
  isFleet: (projectID, fleetID) => sql`agent_key in (
    select key from agents join id_keys on id_keys.id = agents.id
    where agents.project_id = ${projectID} and agents.fleet_id = ${fleetID})`,
  isProject: (id) => sql`project_key = (select key from id_keys where id = ${id})`,
  isSince: (milliseconds) => sql`place >= ${firstPlaceAt(milliseconds)}`,
  isUntil: (milliseconds) => sql`place < ${firstPlaceAt(milliseconds)}`,
  hasID,
  // Nobody else writes.
  isDue: (keys) => sql`place in (${keys})`,
  keys: sql`place`,
};

const orders = { asc: sql`place`, desc: sql`place desc` };

const indexesOfOwners = {
  project: ['agent_error_rows_by_project', 'e.project_key = owner_key.key'],
  open: ['agent_error_rows_open', 'e.agent_key = owner_key.key and e.dismissed_at is null'],
  dismissed: ['agent_error_rows_dismissed', 'e.agent_key = owner_key.key and e.dismissed_at is not null'],
} as const;

/**
 * The index has the open errors of an agent in the order of their digests, so that a page reads all of their index entries. The limit on open errors
 * bounds their number.
 */
function indexOf(walk: Walk): Sql {
  const rows = errorRowsOnSqlite;
  switch (walk.of) {
    case 'agents':
      return walk.state === 'open'
        ? sql`agent_error_rows as e indexed by agent_error_rows_open
            where ${rows.isAgent(walk.ids)} and dismissed_at is null`
        : sql`agent_error_rows as e indexed by agent_error_rows_dismissed
            where ${rows.isAgent(walk.ids)} and dismissed_at is not null`;
    case 'groups':
      return sql`agent_error_rows as e indexed by agent_error_rows_by_group where ${rows.isGroup(walk.ids)}`;
    case 'project':
      return walk.state === 'any'
        ? sql`agent_error_rows as e indexed by agent_error_rows_by_project where ${rows.isProject(walk.id)}`
        : walk.state === 'superseded'
          ? sql`agent_error_rows as e indexed by agent_error_rows_superseded_by_project
              where ${rows.isProject(walk.id)} and dismissed_at is null and superseded_at is not null`
          : sql`agent_error_rows as e indexed by agent_error_rows_current_by_project
              where ${rows.isProject(walk.id)} and dismissed_at is null and superseded_at is null`;
    case 'superseded':
      return sql`agent_error_rows as e indexed by agent_error_rows_superseded
        where superseded_at < ${walk.before} and superseded_at is not null and dismissed_at is null`;
    case 'dismissed':
      return sql`agent_error_rows as e indexed by agent_error_rows_by_dismissal
        where dismissed_at is not null and dismissed_at < ${walk.before}`;
  }
}

function boundsOf({ after, from, before, through }: Range): Sql[] {
  const bounds: Sql[] = [];
  if (from !== undefined) bounds.push(sql`place >= ${placeOf(from)}`);
  else if (after !== undefined) bounds.push(sql`place > ${placeOf(after)}`);
  if (through !== undefined) bounds.push(sql`place <= ${placeOf(through)}`);
  else if (before !== undefined) bounds.push(sql`place < ${placeOf(before)}`);
  return bounds;
}

function keyOf(id: Sql): Sql {
  return sql`(select key from id_keys where id = ${id})`;
}

/** The place of a row, or the former place of a removed row. */
function placeOf(id: string): Sql {
  const { place } = placeOfID(id) ?? { place: 0n };
  return sql`coalesce((select place from agent_error_rows where ${hasID(id)}), ${place})`;
}

function hasID(id: string): Sql {
  const at = placeOfID(id);
  if (at === undefined) return sql`false`;
  const { place, rest } = at;
  return sql`place between ${place} and ${place} + ${sql.lit(maxMoved)}
    and id_rest = ${rest} + (place - ${place} << 55)`;
}
