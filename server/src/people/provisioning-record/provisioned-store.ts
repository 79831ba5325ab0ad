import type { Kysely } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';

/** `value`: the digest of a token's value. */
export type ProvisionedKind = 'project' | 'member' | 'token' | 'value' | 'fleet';

/** True if it was applied at some time, also if it is gone since. */
export async function hasProvisioned(
  db: Kysely<Tables>,
  kind: ProvisionedKind,
  key: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('provisioned')
    .select('key')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertProvisioned(
  db: Kysely<Tables>,
  row: { readonly kind: ProvisionedKind; readonly key: string; readonly applied_at: number },
): Promise<void> {
  await db
    .insertInto('provisioned')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doNothing())
    .execute();
}
