import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { isAnyOf } from '../database/text-matching.ts';
import type { TokenDigest } from '../secret.ts';

/** A value of a project token: the current one, or one from before a rotation. */
export interface TokenValue {
  readonly token_id: string;
  readonly project_id: string;
  readonly number: number;
  readonly is_earlier: number;
  /** Of an earlier one; null: not decided. */
  readonly ends_at: number | null;
}

/** Those of the digests that are of values of project tokens of existing projects. */
export async function listLeakedDigests(
  { engine, write }: Database,
  digests: readonly TokenDigest[],
): Promise<string[]> {
  const isReported = isAnyOf(engine, sql.ref('digest'), digests);
  const { rows } = await sql<{ readonly digest: string }>`
    select digest from project_tokens where ${isReported}
    union all
    select digest from earlier_secrets where ${isReported}`.execute(write);
  return rows.map(({ digest }) => digest);
}

export async function findTokenValue(
  db: Kysely<Tables>,
  digest: TokenDigest,
): Promise<TokenValue | undefined> {
  const { rows } = await sql<TokenValue>`
    select found.*, project_tokens.project_id
    from (
      select id as token_id, secret_number as number, 0 as is_earlier, cast(null as bigint) as ends_at
      from project_tokens where digest = ${digest}
      union all
      select token_id, number, 1, ends_at from earlier_secrets where digest = ${digest}
    ) as found
    join project_tokens on project_tokens.id = found.token_id
    join projects on projects.id = project_tokens.project_id
    where projects.deleted_at is null`.execute(db);
  return rows[0];
}
