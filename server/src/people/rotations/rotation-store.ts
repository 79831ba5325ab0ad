import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { isAnyOf } from '../../foundation/database/text-matching.ts';
import type { TokenDigest } from '../../foundation/secret.ts';
import { earlierEnd, type Rotation } from './rotation.ts';

export type EarlierSecretRow = Selectable<Tables['earlier_secrets']>;
export type RotationRow = Selectable<Tables['rotations']>;

/**
 * Locks the earlier values of tokens until the transaction ends, in the order in which `LastUsed` locks them. Call it before any of
 * them is changed.
 */
export async function lockEarlierSecrets(
  db: Kysely<Tables>,
  engine: Engine,
  ...tokenIDs: readonly string[]
): Promise<void> {
  // SQLite has one transaction at a time.
  if (engine === 'sqlite') return;
  await db
    .selectFrom('earlier_secrets')
    .select('digest')
    .where(sql<boolean>`token_id = any(${tokenIDs}::uuid[])`)
    .orderBy('digest')
    .forNoKeyUpdate()
    .execute();
}

/** Earlier values of tokens that are still accepted, newest first. */
export async function listEarlierSecrets(
  db: Kysely<Tables>,
  engine: Engine,
  tokenIDs: readonly string[],
  now: number,
): Promise<EarlierSecretRow[]> {
  if (tokenIDs.length === 0) return [];
  const isOfToken =
    engine === 'sqlite'
      ? isAnyOf(engine, sql.ref('token_id'), tokenIDs)
      : sql<boolean>`token_id = any(${tokenIDs}::uuid[])`;
  return db
    .selectFrom('earlier_secrets')
    .selectAll()
    .where(isOfToken)
    .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .orderBy('token_id')
    .orderBy('number', 'desc')
    .execute();
}

/** An earlier value of a token, also one that has ended. */
export async function findEarlierSecret(
  db: Kysely<Tables>,
  tokenID: string,
  digest: TokenDigest,
): Promise<EarlierSecretRow | undefined> {
  return db
    .selectFrom('earlier_secrets')
    .selectAll()
    .where('digest', '=', digest)
    .where('token_id', '=', tokenID)
    .executeTakeFirst();
}

export async function insertEarlierSecret(db: Kysely<Tables>, row: EarlierSecretRow): Promise<void> {
  await db.insertInto('earlier_secrets').values(row).execute();
}

/** Applies a rotation to values from before earlier rotations. It never lets one be accepted for longer. */
export async function restrictEarlierSecrets(
  db: Kysely<Tables>,
  rows: readonly EarlierSecretRow[],
  { endsAt, retiresOnUse }: Rotation,
): Promise<void> {
  for (const { digest, ends_at, retires_on_use } of rows) {
    await db
      .updateTable('earlier_secrets')
      .set({
        ends_at: earlierEnd(ends_at, endsAt),
        retires_on_use: retiresOnUse ? 1 : retires_on_use,
      })
      .where('digest', '=', digest)
      .execute();
  }
}

/** Ends the values that wait for the first use of this one, or of an earlier one than this. Returns whether there were any. */
export async function retireEarlierSecrets(
  db: Kysely<Tables>,
  tokenID: string,
  number: number,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('earlier_secrets')
    .set({ ends_at: now })
    .where('token_id', '=', tokenID)
    .where('number', '<', number)
    .where('retires_on_use', '=', 1)
    .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function endEarlierSecret(db: Kysely<Tables>, digest: string, now: number): Promise<void> {
  await db.updateTable('earlier_secrets').set({ ends_at: now }).where('digest', '=', digest).execute();
}

export async function findRotation(
  db: Kysely<Tables>,
  tokenID: string,
  keyDigest: string,
): Promise<RotationRow | undefined> {
  return db
    .selectFrom('rotations')
    .selectAll()
    .where('token_id', '=', tokenID)
    .where('key_digest', '=', keyDigest)
    .executeTakeFirst();
}

export async function putRotation(db: Kysely<Tables>, row: RotationRow): Promise<void> {
  const { token_id, key_digest, ...rest } = row;
  await db
    .insertInto('rotations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['token_id', 'key_digest']).doUpdateSet(rest))
    .execute();
}

/** The value of a rotation was used: it must not be given again. */
export async function removeSalts(db: Kysely<Tables>, tokenID: string, number: number): Promise<void> {
  await db
    .updateTable('rotations')
    .set({ salt: null })
    .where('token_id', '=', tokenID)
    .where('number', '<=', number)
    .where('salt', 'is not', null)
    .execute();
}

/** Removes what is no longer needed of rotations. Values that ended are kept until `before`, for the reason in their 401. */
export async function purgeRotations(
  { engine, write }: Database,
  limits: { readonly salts: number; readonly keys: number; readonly before: number },
): Promise<void> {
  // Rows that another transaction has locked wait for the next time, so that no deadlock is possible.
  const rotations = write.selectFrom('rotations').select('key_digest');
  const staleSalts = rotations.where('created_at', '<=', limits.salts).where('salt', 'is not', null);
  const staleKeys = rotations.where('created_at', '<=', limits.keys);
  const ended = write.selectFrom('earlier_secrets').select('digest').where('ends_at', '<=', limits.before);
  const known = write.selectFrom('earlier_secrets').select('digest');
  const orphans = write
    .selectFrom('earlier_secret_origins')
    .select('digest')
    .where('digest', 'not in', known);
  const free = <Query extends typeof staleKeys | typeof ended | typeof orphans>(query: Query) =>
    engine === 'postgres' ? query.forUpdate().skipLocked() : query;
  await write
    .updateTable('rotations')
    .set({ salt: null })
    .where('key_digest', 'in', free(staleSalts))
    .execute();
  await write.deleteFrom('rotations').where('key_digest', 'in', free(staleKeys)).execute();
  await write.deleteFrom('earlier_secrets').where('digest', 'in', free(ended)).execute();
  await write.deleteFrom('earlier_secret_origins').where('digest', 'in', free(orphans)).execute();
}
