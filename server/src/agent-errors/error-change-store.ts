import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isUniqueViolation } from '../database/database-failures.ts';
import { isAnyID } from '../database/is-any-id.ts';
import type { Tables } from '../database/tables.ts';
import type { Memory } from '../memory.ts';
import type { AgentErrorStore, Dismissal, InTransaction, Reopening } from './agent-error-store.ts';
import type { ErrorRows, Sql } from './rows/error-rows.ts';
import { errorRowsOf } from './rows/error-rows-of.ts';

type Changes = Omit<AgentErrorStore, 'listOfAgent' | 'listOfProject' | 'searchProject' | 'find'>;

/** What a caller or retention does to errors. Dismissals of many have a store of their own. */
export function createErrorChanges({ engine, read, write }: Database, memory: Memory): Changes {
  const rows = errorRowsOf(engine);
  const ofDeletedProjects = sql`select id from projects where deleted_at is not null`;
  return {
    async dismiss({ id, agent_id }, dismissal, onDone) {
      const isDismissed = await changeIf(write, (trx) => dismissError(trx, rows, id, dismissal), onDone);
      memory.changed({ agents: [agent_id] });
      return isDismissed;
    },
    async reopen({ id, agent_id }, onDone) {
      const isReopened = await changeIf(write, (trx) => reopenError(trx, rows, id), onDone).catch(
        (error: unknown) => {
          // An equal error was stored at the same moment.
          if (isUniqueViolation(error)) return false;
          throw error;
        },
      );
      memory.changed({ agents: [agent_id] });
      return isReopened ? { kind: 'reopened' } : explainUnopened(read, rows, id);
    },
    async dismissSuperseded(before, at, limit) {
      const agentIDs = await dismissSuperseded(write, rows, before, at, limit);
      memory.changed({ agents: [...new Set(agentIDs)] });
      return agentIDs.length;
    },
    deleteDismissed: (before, limit) =>
      deleteErrors(
        write,
        rows,
        sql`select ${rows.keys} from ${rows.source({ of: 'dismissed', before }, {})} limit ${limit}`,
        // With `+`, so that no index leads to it. Checked again: a locked row may have been reopened.
        sql`+e.dismissed_at < ${before}`,
      ),
    deleteOfAgents: (agentIDs, limit) =>
      deleteOfAgents(write, rows, isAnyID(engine, sql.ref('agents.id'), agentIDs), limit),
    deleteOfDeletedAgents: (limit) => deleteOfAgents(write, rows, sql`agents.deleted_at is not null`, limit),
    deleteOfDeletedProjects: (limit) =>
      deleteErrors(
        write,
        rows,
        sql`select ${rows.keys} from ${rows.ofEach(ofDeletedProjects, 'project', limit)} limit ${limit}`,
      ),
  };
}

/** Runs a change and, if it has changed something, what belongs to it, in one transaction. Returns whether it has. */
function changeIf(
  write: Kysely<Tables>,
  change: (trx: Kysely<Tables>) => Promise<boolean>,
  onDone: InTransaction | undefined,
): Promise<boolean> {
  return write.transaction().execute(async (trx) => {
    const isChanged = await change(trx);
    if (isChanged) await onDone?.(trx);
    return isChanged;
  });
}

async function dismissError(
  trx: Kysely<Tables>,
  rows: ErrorRows,
  id: string,
  { at, reason, by }: Dismissal,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${rows.table} as e
    set dismissed_at = ${at}, dismiss_reason = ${reason}, dismissed_by_kind = ${by.kind},
      dismissed_by_id = ${by.id}, ${rows.dismissal} = null
    where ${rows.hasID(id)} and ${rows.isOpen}`.execute(trx);
  return numAffectedRows === 1n;
}

/**
 * One statement searches for an equal error and reopens this one. On SQLite, no other write can come between.
 *
 * @throws a unique violation if an equal error was stored at the same moment, on PostgreSQL
 */
async function reopenError(trx: Kysely<Tables>, rows: ErrorRows, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${rows.table} as e
    set dismissed_at = null, dismiss_reason = null, dismissed_by_kind = null, dismissed_by_id = null,
      ${rows.dismissal} = null, is_muted = null
    where ${rows.hasID(id)} and not (${rows.isOpen}) and not exists (select 1 from ${rows.equalOpen})`.execute(
    trx,
  );
  return numAffectedRows === 1n;
}

async function explainUnopened(db: Kysely<Tables>, rows: ErrorRows, id: string): Promise<Reopening> {
  const found = await sql<{ id: string | null }>`
    select (select ${rows.id} from ${rows.equalOpen}) as id
    from ${rows.table} as e where ${rows.hasID(id)} and not (${rows.isOpen})`.execute(db);
  const [dismissed] = found.rows;
  if (dismissed === undefined) return { kind: 'not_dismissed' };
  return { kind: 'equal_open', id: dismissed.id ?? undefined };
}

/** Returns their agents, each as often as it has such errors. */
async function dismissSuperseded(
  db: Kysely<Tables>,
  rows: ErrorRows,
  before: number,
  at: number,
  limit: number,
): Promise<string[]> {
  const keys = sql`select ${rows.keys} from ${rows.source({ of: 'superseded', before }, {})} limit ${limit}`;
  const found = await sql<{ agent_id: string }>`
    update ${rows.table} as e
    set dismissed_at = ${at}, dismissed_by_kind = 'system', dismissed_by_id = null,
      dismiss_reason = 'superseded by configuration ' || coalesce(${rows.configOfAgent}, 'none')
    where ${rows.isDue(keys, rows.isOpen)}
    returning ${rows.agentID} as agent_id`.execute(db);
  return found.rows.map(({ agent_id }) => agent_id);
}

/** By the two indexes that have the errors of an agent: those of the open and of the dismissed ones. */
function deleteOfAgents(db: Kysely<Tables>, rows: ErrorRows, areThey: Sql, limit: number): Promise<number> {
  const agents = sql`select id from agents where ${areThey}`;
  const keysOf = (state: 'open' | 'dismissed') =>
    sql`select ${rows.keys} from ${rows.ofEach(agents, state, limit)}`;
  const keys = sql`
    select * from (${keysOf('open')} union all ${keysOf('dismissed')}) as found limit ${limit}`;
  return deleteErrors(db, rows, keys);
}

/** @param condition checked again once a row is locked; absent: the rows cannot change. */
async function deleteErrors(
  db: Kysely<Tables>,
  rows: ErrorRows,
  keys: Sql,
  condition: Sql = sql`true`,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${rows.table} as e where ${rows.isDue(keys, condition)}`.execute(db);
  return Number(numAffectedRows);
}
