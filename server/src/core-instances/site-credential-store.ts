import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Engine } from '../database/migrations/column-types.ts';
import type { Tables } from '../database/tables.ts';
import { isAnyOf } from '../database/text-matching.ts';

/** Where the notes of a project end: everything before `position` is visible. */
export interface EndOfNotes {
  readonly position: number;
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
  /** 1: the agent is deleted, or the token was revoked together with the project token that made it. */
  readonly is_ended: number;
}

/**
 * On PostgreSQL, a transaction that is still open may have a smaller number than one that is committed: the end is then before it, and what follows is
 * read again.
 */
export async function findEndOfNotes({ engine, read }: Database, projectID: string): Promise<EndOfNotes> {
  const newest = await read
    .selectFrom('credential_notes')
    .select(['position', 'noted_at'])
    .where('project_id', '=', projectID)
    .orderBy('position', 'desc')
    .limit(1)
    .$if(engine === 'postgres', (query) =>
      query.select(sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`.as('oldest_open')),
    )
    .executeTakeFirst();
  if (newest === undefined) return { position: 0, notedAt: 0 };
  const { position, noted_at: notedAt, oldest_open: oldestOpen = Number.POSITIVE_INFINITY } = newest;
  return { position: Math.min(position + 1, oldestOpen), notedAt };
}

export async function listNotes(
  db: Kysely<Tables>,
  projectID: string,
  from: number,
  limit: number,
): Promise<CredentialNote[]> {
  const rows = await db
    .selectFrom('credential_notes')
    .select(['kind', 'digest'])
    .distinct()
    .where('project_id', '=', projectID)
    .where('position', '>=', from)
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

/** Removes notes that nobody needs, but the newest one of each project, which says where its notes end. */
export async function deleteOldNotes({ write }: Database, before: number): Promise<void> {
  await write
    .deleteFrom('credential_notes')
    .where('noted_at', '<', before)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('credential_notes as later')
          .select('later.position')
          .whereRef('later.project_id', '=', 'credential_notes.project_id')
          .whereRef('later.position', '>', 'credential_notes.position'),
      ),
    )
    .execute();
}

function selectTokens(db: Kysely<Tables>) {
  return db
    .selectFrom('agent_tokens')
    .innerJoin('agents', 'agents.id', 'agent_tokens.agent_id')
    .leftJoin('project_tokens as maker', 'maker.id', 'agent_tokens.created_with')
    .select(['agent_tokens.agent_id', 'agent_tokens.digest'])
    .select(
      sql<number>`case when agents.deleted_at is not null then 1 else coalesce(maker.ends_agents, 0) end`.as(
        'is_ended',
      ),
    );
}
