import type { Kysely } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { TokenDigest } from '../../foundation/secret.ts';
import { listAgentsByTokenDigest } from './agent-store.ts';

interface FoundAgent {
  readonly id: string;
  readonly name: string;
  readonly project_id: string;
  readonly leaked_at: number | null;
}

/** The agent of a valid token. It is locked before its tokens, as when it registers. */
export async function lockAgentByToken(
  trx: Kysely<Tables>,
  engine: Database['engine'],
  digest: TokenDigest,
): Promise<FoundAgent | undefined> {
  const [found] = await listAgentsByTokenDigest({ engine, read: trx }, [digest]);
  if (found === undefined || found.is_ended === 1) return undefined;
  const query = trx
    .selectFrom('agents')
    .select(['id', 'name', 'project_id'])
    .where('id', '=', found.id)
    .where('deleted_at', 'is', null);
  // SQLite has one transaction at a time.
  const agent = await (engine === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst();
  const token = await trx
    .selectFrom('agent_tokens')
    .select('leaked_at')
    .where('digest', '=', digest)
    .executeTakeFirst();
  return agent === undefined || token === undefined ? undefined : { ...agent, ...token };
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
