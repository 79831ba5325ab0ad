import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';
import { valuesWithDigest } from '../../foundation/database/token-values.ts';
import type { TokenDigest } from '../../foundation/secret.ts';

/** A value of a project token: the current one, or one from before a rotation. */
export interface TokenValue {
  readonly token_id: string;
  readonly project_id: string;
  readonly number: number;
  readonly is_earlier: number;
  /** Of an earlier one; null: not decided. */
  readonly ends_at: number | null;
}

export async function findTokenValue(
  db: Kysely<Tables>,
  digest: TokenDigest,
): Promise<TokenValue | undefined> {
  const { rows } = await sql<TokenValue>`
    select found.*, project_tokens.project_id
    from ${valuesWithDigest('project_tokens', digest)} as found
    join project_tokens on project_tokens.id = found.token_id
    join projects on projects.id = project_tokens.project_id
    where projects.deleted_at is null`.execute(db);
  return rows[0];
}
