import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { Secret } from '../../foundation/secret.ts';
import type { AuditActor, AuditService } from '../../record/audit/audit-service.ts';
import * as tokenStore from './access-token-store.ts';
import * as store from './user-store.ts';

interface AdministratorTokenParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
}

export const administratorName = 'administrator';

/**
 * Makes this the only token of the administrator that the installation itself defines, inside a transaction of the caller. Returns false if it stays
 * revoked, because its value was found in public.
 */
export async function setAdministratorToken(
  trx: Kysely<Tables>,
  secret: Secret,
  by: AuditActor,
  { database, clock, newID, audit }: AdministratorTokenParts,
): Promise<boolean> {
  const administrator = await store.findAdministrator(trx);
  if (administrator === undefined) throw new Error('there is no administrator who could get a token');
  const initial = await tokenStore.lockInitialTokens(trx, database.engine, administrator.id);
  const digest = secret.digest();
  const existing = await tokenStore.findAccessTokenByDigest(trx, digest);
  if (existing === undefined) {
    await tokenStore.insertAccessToken(trx, {
      id: newID(),
      user_id: administrator.id,
      name: administratorName,
      digest,
      last_four: secret.lastFour(),
      is_initial: 1,
      created_at: clock(),
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      rotated_at: null,
    });
  }
  const isLeaked = existing?.leaked_at != null && existing.revoked_at !== null;
  if (existing !== undefined && existing.revoked_at !== null && !isLeaked) {
    await tokenStore.restoreInitialToken(trx, existing.id);
  }
  const former = initial.filter((row) => row.digest !== digest && row.revoked_at === null);
  const isNew = existing === undefined || (existing.revoked_at !== null && !isLeaked);
  if (former.length === 0 && !isNew) return !isLeaked;
  // With those that were created with them: whoever got hold of a former token has no way back.
  await tokenStore.revokeAccessTokens(
    trx,
    database.engine,
    former.map(({ id }) => id),
    clock(),
  );
  await audit.record(trx, by, {
    projectID: null,
    action: isNew ? 'access_token.created' : 'access_token.revoked',
    target: { kind: 'user', id: administrator.id, name: administrator.name },
    after: { revokedTokensCount: former.length },
  });
  await noteCredentialChange(trx);
  return !isLeaked;
}
