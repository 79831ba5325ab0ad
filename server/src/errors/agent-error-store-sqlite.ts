import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SqliteDatabase } from '../foundation/database/database.ts';
import { firstPlaceAt, idAtPlaceSql, idOfBytesSql, timeAtPlaceSql } from '../foundation/database/id-place.ts';
import { isAnyID } from '../foundation/database/is-any-id.ts';
import type { SearchTurn } from '../foundation/database/searches.ts';
import type { Tables } from '../foundation/database/tables.ts';
import { containsText } from '../foundation/database/text-matching.ts';
import { walkInPortions } from '../foundation/database/walk-in-portions.ts';
import type { Page } from '../foundation/list-page.ts';
import type {
  AgentErrorRow,
  AgentErrorStore,
  Dismissal,
  ProjectErrorFilter,
  Reopening,
} from './agent-error-store.ts';
import { changeIf } from './change-if.ts';
import {
  hasEqualOpenSql,
  isCurrent,
  isInFleet,
  isRowOfID,
  keyOf,
  openOfProject,
  type Part,
  placeOf,
} from './error-row-store-sqlite.ts';

/**
 * Agent errors on SQLite, in the order of their places, which is the order of their ids. Each statement names its index, because the choice must not
 * depend on statistics.
 */
export function createSqliteAgentErrorStore({ read, write }: SqliteDatabase): AgentErrorStore {
  return {
    listOfAgent: (db, agentID, { dismissed, current }, page) =>
      listErrors(db, partsOfAgent(agentID, dismissed), currentConditions(current), page),
    listOfProject: (db, filter, page) =>
      listErrors(db, partsOfProject(filter), conditionsOfProject(filter), page),
    searchProject: searchProjectErrors,
    find: (id) => findAgentError(read, id),
    dismiss: (row, dismissal, onDone) =>
      changeIf(write, (trx) => dismissAgentError(trx, row.id, dismissal), onDone),
    async reopen(row, onDone) {
      const isReopened = await changeIf(write, (trx) => reopenAgentError(trx, row.id), onDone);
      return isReopened ? { kind: 'reopened' } : explainUnopened(read, row.id);
    },
    dismissSuperseded: (before, at, limit) => dismissSupersededErrors(write, before, at, limit),
    deleteDismissed: (before, limit) => deleteErrors(write, dismissedBefore(before), limit),
    deleteOfAgents: (agentIDs, limit) =>
      deleteErrors(write, ofAgents(isAnyID('sqlite', sql.ref('agents.id'), agentIDs)), limit),
    deleteOfDeletedProjects: (limit) => deleteErrors(write, ofDeletedProjects, limit),
  };
}

const columns = sql.raw(`
  agents.id as agent_id, ${idAtPlaceSql} as id, projects.id as project_id, error, epoch,
  ${idOfBytesSql('config_id')} as config_id, ${timeAtPlaceSql} as created_at, occurrences, last_seen_at,
  dismissed_at, dismiss_reason, dismissed_by_kind, dismissed_by_id, superseded_at, is_muted,
  (select own.epoch from agents as own where own.id = agents.id) as agent_epoch,
  (select error_groups.id from agent_error_groups as error_groups where error_groups.key = error_group) as group_id`);

/**
 * The index has the open errors of an agent in the order of their digests, so a page reads all of their index entries. The limit on open errors
 * bounds their number.
 */
function partsOfAgent(agentID: string, dismissed: boolean | undefined): Part[] {
  const key = keyOf(agentID);
  const open = {
    index: sql`agent_error_rows_open`,
    condition: sql`agent_key = ${key} and dismissed_at is null`,
  };
  const done = {
    index: sql`agent_error_rows_dismissed`,
    condition: sql`agent_key = ${key} and dismissed_at is not null`,
  };
  if (dismissed === undefined) return [open, done];
  return dismissed ? [done] : [open];
}

function partsOfProject({ projectID, agentID, dismissed, current, groupID }: ProjectErrorFilter): Part[] {
  const ofProject = sql`project_key = ${keyOf(projectID)}`;
  if (agentID !== undefined) {
    return partsOfAgent(agentID, dismissed).map(({ index, condition }) => ({
      index,
      condition: sql`${condition} and ${ofProject}`,
    }));
  }
  if (dismissed === false && groupID === undefined) {
    const [ofNow, ofBefore] = openOfProject(projectID);
    if (current === undefined) return [ofNow, ofBefore];
    return current ? [ofNow] : [ofBefore];
  }
  const condition =
    dismissed === undefined
      ? ofProject
      : sql`${ofProject} and dismissed_at is ${sql.raw(dismissed ? 'not null' : 'null')}`;
  if (groupID !== undefined) {
    const ofGroup = sql`error_group = (select key from agent_error_groups where id = ${groupID})`;
    return [{ index: sql`agent_error_rows_by_group`, condition: sql`${ofGroup} and ${condition}` }];
  }
  return [{ index: sql`agent_error_rows_by_project`, condition }];
}

function currentConditions(current: boolean | undefined): RawBuilder<unknown>[] {
  return current === undefined ? [] : [isCurrent(current)];
}

function conditionsOfProject({
  projectID,
  text,
  fleetID,
  since,
  until,
  agentID,
  current,
  groupID,
}: ProjectErrorFilter): RawBuilder<unknown>[] {
  const conditions = currentConditions(current);
  if (agentID !== undefined && groupID !== undefined) {
    conditions.push(sql`error_group = (select key from agent_error_groups where id = ${groupID})`);
  }
  if (text !== undefined) conditions.push(containsText('sqlite', sql.ref('error'), text));
  if (fleetID !== undefined) {
    conditions.push(isInFleet(projectID, fleetID));
  }
  if (since !== undefined) conditions.push(sql`place >= ${firstPlaceAt(since)}`);
  if (until !== undefined) conditions.push(sql`place < ${firstPlaceAt(until)}`);
  return conditions;
}

async function listErrors(
  db: Kysely<Tables>,
  parts: readonly Part[],
  conditions: readonly RawBuilder<unknown>[],
  { limit, before }: Page,
): Promise<AgentErrorRow[]> {
  const all = before === undefined ? conditions : [...conditions, sql`place < ${placeOf(before)}`];
  const newestOf = ({ index, condition }: Part) => sql`
    select * from (
      select place from agent_error_rows indexed by ${index}
      where ${sql.join([condition, ...all], sql` and `)}
      order by place desc limit ${limit + 1})`;
  const { rows } = await sql<AgentErrorRow>`
    select ${columns}
    from (
      ${sql.join(parts.map(newestOf), sql` union all `)} order by place desc limit ${limit + 1}
    ) as page
    cross join agent_error_rows using (place)
    cross join id_keys as agents on agents.key = agent_key
    cross join id_keys as projects on projects.key = project_key
    order by place desc`.execute(db);
  return rows;
}

/** Searches in portions, one statement each, so that other searches get their turn in between. */
function searchProjectErrors(
  { db, goOn }: SearchTurn,
  filter: ProjectErrorFilter,
  { limit, before }: Page,
): Promise<AgentErrorRow[]> {
  const { since, until, projectID, agentID, groupID, dismissed, current } = filter;
  const parts = partsOfProject(filter);
  const none = { dismissed: undefined, text: undefined, fleetID: undefined };
  const range = {
    // Only one part has an order, along which its rows can be counted.
    parts:
      parts.length === 1 && dismissed === false && current !== undefined
        ? parts
        : partsOfProject({ ...none, projectID, agentID, groupID, since, until }),
    // Of columns that are in the index.
    conditions: conditionsOfProject({ ...none, projectID, agentID: undefined, since, until }),
  };
  return walkInPortions({
    limit: limit + 1,
    before,
    goOn,
    now: () => performance.now(),
    findEnd: (behind, rows) => findIDBehind(db, range, behind, rows),
    list: (portion, limit) => {
      const from = portion.from === undefined ? [] : [sql`place >= ${placeOf(portion.from)}`];
      const page = { limit: limit - 1, before: portion.before };
      return listErrors(db, parts, [...conditionsOfProject(filter), ...from], page);
    },
  });
}

/** The id of the error `rows` places after another one, among the errors that match the indexed part of a filter. */
async function findIDBehind(
  db: Kysely<Tables>,
  range: { readonly parts: readonly Part[]; readonly conditions: readonly RawBuilder<unknown>[] },
  before: string | undefined,
  rows: number,
): Promise<string | undefined> {
  const behind = before === undefined ? [] : [sql`place < ${placeOf(before)}`];
  const conditions = [...range.conditions, ...behind];
  const parts = range.parts.map(
    ({ index, condition }) => sql`
      select place from agent_error_rows indexed by ${index}
      where ${sql.join([condition, ...conditions], sql` and `)}`,
  );
  const found = await sql<{ id: string }>`
    select ${sql.raw(idAtPlaceSql)} as id from agent_error_rows
    where place = (
      ${sql.join(parts, sql` union all `)} order by place desc limit 1 offset ${rows - 1})`.execute(db);
  return found.rows[0]?.id;
}

async function findAgentError(db: Kysely<Tables>, id: string): Promise<AgentErrorRow | undefined> {
  const { rows } = await sql<AgentErrorRow>`
    select ${columns}
    from agent_error_rows
    cross join id_keys as agents on agents.key = agent_key
    cross join id_keys as projects on projects.key = project_key
    cross join projects as living on living.id = projects.id
    where ${isRowOfID(id)} and living.deleted_at is null`.execute(db);
  return rows[0];
}

async function dismissAgentError(
  db: Kysely<Tables>,
  id: string,
  { at, reason, by }: Dismissal,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update agent_error_rows
    set dismissed_at = ${at}, dismiss_reason = ${reason}, dismissed_by_kind = ${by.kind},
      dismissed_by_id = ${by.id}, dismissal = null
    where ${isRowOfID(id)} and dismissed_at is null`.execute(db);
  return numAffectedRows === 1n;
}

/** One statement searches for an equal error and reopens this one, so that no other write can come between. If it is superseded, it is marked again. */
async function reopenAgentError(db: Kysely<Tables>, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update agent_error_rows
    set dismissed_at = null, dismiss_reason = null, dismissed_by_kind = null, dismissed_by_id = null,
      dismissal = null, is_muted = null, superseded_at = null
    where ${isRowOfID(id)} and dismissed_at is not null and not ${sql.raw(hasEqualOpenSql)}`.execute(db);
  return numAffectedRows === 1n;
}

/** Why an error was not reopened. */
async function explainUnopened(read: Kysely<Tables>, id: string): Promise<Reopening> {
  const { rows } = await sql<{ id: string | null }>`
    with this as (
      select agent_key, epoch, digest, error from agent_error_rows
      where ${isRowOfID(id)} and dismissed_at is not null
    )
    select (
      select ${sql.raw(idAtPlaceSql)}
      from this
      cross join agent_error_rows indexed by agent_error_rows_open using (agent_key, epoch, digest, error)
      where dismissed_at is null
    ) as id
    from this`.execute(read);
  const [dismissed] = rows;
  if (dismissed === undefined) return { kind: 'not_dismissed' };
  return { kind: 'equal_open', id: dismissed.id ?? undefined };
}

async function dismissSupersededErrors(
  db: Kysely<Tables>,
  before: number,
  at: number,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ agent_id: string }>`
    update agent_error_rows
    set dismissed_at = ${at}, dismissed_by_kind = 'system', dismissed_by_id = null,
      dismiss_reason = 'superseded by configuration ' || coalesce((
        select config_id from id_keys join agents on agents.id = id_keys.id where id_keys.key = agent_key), 'none')
    where place in (
      select place from agent_error_rows indexed by agent_error_rows_superseded
      where superseded_at < ${before} and superseded_at is not null and dismissed_at is null
      limit ${limit})
    returning (select id from id_keys where key = agent_key) as agent_id`.execute(db);
  return rows.map(({ agent_id }) => agent_id);
}

async function deleteErrors(db: Kysely<Tables>, places: RawBuilder<unknown>, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from agent_error_rows where place in (select place from (${places}) limit ${limit})`.execute(db);
  return Number(numAffectedRows);
}

function dismissedBefore(milliseconds: number): RawBuilder<unknown> {
  return sql`
    select place from agent_error_rows indexed by agent_error_rows_by_dismissal
    where dismissed_at is not null and dismissed_at < ${milliseconds}`;
}

function ofAgents(areThey: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select place from agents
    cross join id_keys on id_keys.id = agents.id
    cross join agent_error_rows indexed by agent_error_rows_open on agent_key = id_keys.key
    where ${areThey} and dismissed_at is null
    union all
    select place from agents
    cross join id_keys on id_keys.id = agents.id
    cross join agent_error_rows indexed by agent_error_rows_dismissed on agent_key = id_keys.key
    where ${areThey} and dismissed_at is not null`;
}

const ofDeletedProjects = sql`
  select place from projects
  cross join id_keys on id_keys.id = projects.id
  cross join agent_error_rows indexed by agent_error_rows_by_project on project_key = id_keys.key
  where projects.deleted_at > 0`;
