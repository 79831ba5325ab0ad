import { type Kysely, sql } from 'kysely';
import { timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Page } from '../../foundation/list-page.ts';
import { errorsOfAgentSql } from '../error-row-store-postgres.ts';

/** A configuration of an agent, without its text. */
export interface ConfigRow {
  readonly id: string;
  readonly epoch: number;
  readonly created_at: number;
}

/** The errors of one group that an agent had with one configuration. */
export interface CauseRow {
  readonly epoch: number;
  readonly groupID: string;
  readonly pattern: string;
  readonly errors: number;
  /** Milliseconds. */
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
}

/** Newest first, with one more than the page: the first of the next page, with which the last of this page is compared. */
export async function listConfigs(
  db: Kysely<Tables>,
  agentID: string,
  { limit, before }: Page,
): Promise<ConfigRow[]> {
  const ofAgent = db.selectFrom('agent_configs').where('agent_id', '=', agentID);
  let query = ofAgent.select(['id', 'epoch', 'created_at']);
  if (before !== undefined) {
    query = query.where('epoch', '<', ofAgent.select('epoch').where('id', '=', before));
  }
  return query
    .orderBy('epoch', 'desc')
    .limit(limit + 1)
    .execute();
}

/** Maximum number of dismissed errors that are counted. Open ones have a limit of their own. */
const maxErrors = 20_000;

/** The causes of the errors of an agent with the configurations of these epochs, the most errors first. */
export async function listCauses(
  db: Kysely<Tables>,
  engine: Engine,
  agentID: string,
  epochs: { readonly first: number; readonly last: number },
): Promise<CauseRow[]> {
  const { first, last } = epochs;
  const errors = engine === 'sqlite' ? errorsOnSqlite(agentID) : errorsOnPostgres(agentID);
  const groupKey = sql.ref(engine === 'sqlite' ? 'error_groups.key' : 'error_groups.id');
  const { rows } = await sql<CauseRow>`
    select errors.epoch, error_groups.id as "groupID", error_groups.pattern, count(*) as errors,
      min(errors.created_at) as "firstSeenAt", max(errors.last_seen_at) as "lastSeenAt"
    from (${errors}) as errors
    join agent_error_groups as error_groups on ${groupKey} = errors.error_group
    where errors.epoch >= ${first} and errors.epoch <= ${last}
    group by errors.epoch, error_groups.id, error_groups.pattern
    order by count(*) desc, error_groups.id`.execute(db);
  return rows;
}

function errorsOnSqlite(agentID: string) {
  const columns = sql.raw(`epoch, error_group, ${timeAtPlaceSql} as created_at, last_seen_at`);
  const isOfAgent = sql`agent_key = (select key from id_keys where id = ${agentID})`;
  return sql`
    select * from (
      select ${columns} from agent_error_rows indexed by agent_error_rows_open
      where ${isOfAgent} and dismissed_at is null limit ${maxErrors})
    union all select * from (
      select ${columns} from agent_error_rows indexed by agent_error_rows_dismissed
      where ${isOfAgent} and dismissed_at is not null order by place desc limit ${maxErrors})`;
}

function errorsOnPostgres(agentID: string) {
  const columns = sql.raw('agent_id, id, epoch, group_id as error_group, created_at, last_seen_at');
  return errorsOfAgentSql({ agentID, columns, limit: maxErrors });
}
