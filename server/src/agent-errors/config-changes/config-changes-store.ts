import { type Kysely, sql } from 'kysely';
import type { Engine } from '../../database/migrations/column-types.ts';
import type { Tables } from '../../database/tables.ts';
import type { Page } from '../../page.ts';
import type { Walk } from '../rows/error-rows.ts';
import { errorRowsOf } from '../rows/error-rows-of.ts';
import { newestOfEach } from '../rows/walk-store.ts';

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

/** Maximum number of open errors, and of dismissed ones, that are counted. */
const maxErrors = 20_000;

/** The causes of the errors of an agent with the configurations of these epochs, the most errors first. */
export async function listCauses(
  db: Kysely<Tables>,
  engine: Engine,
  agentID: string,
  epochs: { readonly first: number; readonly last: number },
): Promise<CauseRow[]> {
  const { first, last } = epochs;
  const rows = errorRowsOf(engine);
  const walks: readonly Walk[] = [
    { of: 'agents', ids: [agentID], state: 'open' },
    { of: 'agents', ids: [agentID], state: 'dismissed' },
  ];
  const found = await sql<CauseRow>`
    select errors.epoch, error_groups.id as "groupID", error_groups.pattern, count(*) as errors,
      min(errors.created_at) as "firstSeenAt", max(errors.last_seen_at) as "lastSeenAt"
    from (
      select epoch, ${rows.group} as error_group, ${rows.createdAt} as created_at, last_seen_at
      from ${rows.fromPage(newestOfEach(rows, walks, maxErrors, {}))}
    ) as errors
    join agent_error_groups as error_groups on error_groups.${rows.groupKey} = errors.error_group
    where errors.epoch >= ${first} and errors.epoch <= ${last}
    group by errors.epoch, error_groups.id, error_groups.pattern
    order by count(*) desc, error_groups.id`.execute(db);
  return found.rows;
}
