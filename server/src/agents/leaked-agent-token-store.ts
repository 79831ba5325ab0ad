import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import type { TokenDigest } from '../secret.ts';

interface FoundAgent {
  readonly id: string;
  readonly name: string;
  readonly project_id: string;
  readonly leaked_at: number | null;
}

/** The agent is locked before its tokens, as when it registers. */
export async function lockAgentByToken(
  trx: Kysely<Tables>,
  engine: Database['engine'],
  digest: TokenDigest,
): Promise<FoundAgent | undefined> {
  const token = await findToken(trx, digest);
  if (token === undefined) return undefined;
  const query = trx
    .selectFrom('agents')
    .select(['id', 'name', 'project_id'])
    .where('id', '=', token.agent_id)
    .where('deleted_at', 'is', null);
  // SQLite has one transaction at a time.
  const agent = await (engine === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst();
  const locked = await findToken(trx, digest);
  return agent === undefined || locked === undefined ? undefined : { ...agent, leaked_at: locked.leaked_at };
}

async function findToken(trx: Kysely<Tables>, digest: TokenDigest) {
  return trx
    .selectFrom('agent_tokens')
    .select(['agent_id', 'leaked_at'])
    .where('digest', '=', digest)
    .executeTakeFirst();
}

export async function markLeaked(
  trx: Kysely<Tables>,
  agentID: string,
  digest: TokenDigest,
  at: number,
): Promise<void> {
  await trx
    .updateTable('agent_tokens')
    .set({ leaked_at: at })
    .where('agent_id', '=', agentID)
    .where('digest', '=', digest)
    .execute();
}
