import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../foundation/database/database.ts';
import { deleteInPortions, isInPortion } from '../foundation/database/delete-in-portions.ts';
import type { Engine } from '../foundation/database/migrations/column-types.ts';
import type { Tables } from '../foundation/database/tables.ts';
import { isAnyOf } from '../foundation/database/text-matching.ts';

/** Where the notes of a project end: everything before `position` is visible. */
export interface EndOfNotes {
  readonly position: number;
  /** The number after the newest note. 0: there is none. */
  readonly limit: number;
  /** When the newest note was written, by the clock of the database. 0: there is none. */
  readonly notedAt: number;
}

export interface CredentialNote {
  readonly kind: 'project' | 'agent' | 'all';
  readonly digest: string;
}

/** A token of an agent. */
export interface AgentTokenRow {
  readonly agent_id: string;
  readonly digest: string;
  /** 1: the token was revoked together with the project token that made it. */
  readonly is_ended: number;
  /** 1: the agent is deleted. */
  readonly is_deleted: number;
}

/**
 * On PostgreSQL, a transaction that is still open may have a smaller number than one that is committed: the end is then before it, and what follows is
 * read again. Transactions of other databases of the server write no notes, so they do not count, however long they take.
 */
export async function findEndOfNotes({ engine, read }: Database, projectID: string): Promise<EndOfNotes> {
  const newest = await read
    .selectFrom('credential_notes')
    .select(['position', 'noted_at'])
    .where('project_id', '=', projectID)
    .$if(engine === 'postgres', (query) => query.where(isOfThisServer))
    .orderBy('position', 'desc')
    // Notes of one transaction have one position, and always the same of them is named.
    .$if(engine === 'postgres', (query) =>
      query.orderBy(sql`key`, 'desc').select(sql<string>`pg_current_snapshot()::text`.as('snapshot')),
    )
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return { position: 0, limit: 0, notedAt: 0 };
  const { position, noted_at: notedAt, snapshot } = newest;
  const limit = position + 1;
  if (snapshot === undefined || oldestOpenIn(snapshot) > position) return { position: limit, limit, notedAt };
  return { position: Math.min(limit, await findOldestOpen(read, snapshot)), limit, notedAt };
}

/** Of a snapshot's text, such as 10:20:10,14: its oldest open transaction, the number that is given next, and what is open. */
function oldestOpenIn(snapshot: string): number {
  return Number.parseInt(snapshot, 10);
}

/** The oldest transaction that was open at the snapshot and may be of this database. One that has ended since is taken for such. */
async function findOldestOpen(db: Kysely<Tables>, snapshot: string): Promise<number> {
  const { rows } = await sql<{ oldest: number | null }>`
    select min(open::text::bigint) as oldest
    from pg_snapshot_xip(${snapshot}::pg_snapshot) as open
    where not exists (
      select from pg_locks
      join pg_stat_activity using (pid)
      where locktype = 'transactionid' and transactionid = open::xid and mode = 'ExclusiveLock'
        and datname <> current_database()
    )`.execute(db);
  return rows[0]?.oldest ?? Number.POSITIVE_INFINITY;
}

/** A database that was restored on another server may have notes with numbers that are not given there yet, which would be read again and again. */
const isOfThisServer = sql<boolean>`position < pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/** True if the newest note that an end names is one of this database. */
export async function hasNewestNote(
  { engine, read }: Database,
  projectID: string,
  { limit, notedAt }: EndOfNotes,
): Promise<boolean> {
  const note = await read
    .selectFrom('credential_notes')
    .select('position')
    .where('project_id', '=', projectID)
    .where('position', '=', limit - 1)
    .where('noted_at', '=', notedAt)
    .$if(engine === 'postgres', (query) => query.where(isOfThisServer))
    .limit(1)
    .executeTakeFirst();
  return note !== undefined;
}

export async function listNotes(
  { engine, read }: Database,
  projectID: string,
  from: number,
  limit: number,
): Promise<CredentialNote[]> {
  const rows = await read
    .selectFrom('credential_notes')
    .select(['kind', 'digest'])
    .distinct()
    .where('project_id', '=', projectID)
    .where('position', '>=', from)
    .$if(engine === 'postgres', (query) => query.where(isOfThisServer))
    .limit(limit)
    .execute();
  return rows as CredentialNote[]; // written by the triggers alone
}

/** Digests of the values of the project's tokens, in the order of their ids: the current one, and those from before rotations. */
export async function listTokenDigests(
  db: Kysely<Tables>,
  projectID: string,
  after: string | undefined,
  limit: number,
): Promise<{ readonly id: string; readonly digests: readonly string[] }[]> {
  let query = db
    .selectFrom('project_tokens')
    .select(['id', 'digest'])
    .where('project_id', '=', projectID)
    .orderBy('id')
    .limit(limit);
  if (after !== undefined) query = query.where('id', '>', after);
  const tokens = await query.execute();
  if (tokens.length === 0) return [];
  const earlier = await db
    .selectFrom('earlier_secrets')
    .select(['token_id', 'digest'])
    .where(
      'token_id',
      'in',
      tokens.map(({ id }) => id),
    )
    .execute();
  return tokens.map(({ id, digest }) => ({
    id,
    digests: [digest, ...earlier.filter(({ token_id: of }) => of === id).map((one) => one.digest)],
  }));
}

/** The tokens of a number of agents that follow an id. Also the ids of agents without any. */
export async function listAgentTokens(
  db: Kysely<Tables>,
  projectID: string,
  after: string | undefined,
  limit: number,
): Promise<{ readonly agents: readonly string[]; readonly tokens: readonly AgentTokenRow[] }> {
  let query = db
    .selectFrom('agents')
    .select('id')
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(limit);
  if (after !== undefined) query = query.where('id', '>', after);
  const agents = (await query.execute()).map(({ id }) => id);
  if (agents.length === 0) return { agents, tokens: [] };
  const tokens = await selectTokens(db).where('agent_tokens.agent_id', 'in', agents).execute();
  return { agents, tokens };
}

/** Tokens of agents of the project by their digests, also of deleted agents. */
export async function listAgentTokensByDigest(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  digests: readonly string[],
): Promise<AgentTokenRow[]> {
  if (digests.length === 0) return [];
  return selectTokens(db)
    .where('agents.project_id', '=', projectID)
    .where(isAnyOf(engine, sql.ref('agent_tokens.digest'), digests))
    .execute();
}

/**
 * Removes old notes, but the newest one of each project, which says where its notes end. Those of another server all go: when its numbers are given here,
 * they would vouch for cursors that do not know what was noted here before.
 */
export async function deleteNotes(
  { engine, write }: Database,
  closing: AbortSignal,
  before: number,
): Promise<void> {
  const remove = (isDue: RawBuilder<unknown>) =>
    deleteInPortions(closing, async (limit) => {
      const isInThis = isInPortion(engine, 'credential_notes', ['position'], isDue, limit);
      const { numDeletedRows } = await write
        .deleteFrom('credential_notes')
        .where(isInThis)
        .executeTakeFirst();
      return Number(numDeletedRows);
    });
  await remove(sql`noted_at < ${before} and exists (
    select 1 from credential_notes as later
    where later.project_id = credential_notes.project_id and later.position > credential_notes.position)`);
  if (engine === 'postgres')
    await remove(sql`position >= (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`);
}

function selectTokens(db: Kysely<Tables>) {
  return db
    .selectFrom('agent_tokens')
    .innerJoin('agents', 'agents.id', 'agent_tokens.agent_id')
    .leftJoin('project_tokens as maker', 'maker.id', 'agent_tokens.created_with')
    .select(['agent_tokens.agent_id', 'agent_tokens.digest'])
    .select([
      sql<number>`coalesce(maker.ends_agents, 0)`.as('is_ended'),
      sql<number>`case when agents.deleted_at is null then 0 else 1 end`.as('is_deleted'),
    ]);
}
