import type { AuditService } from '../audit/audit-service.ts';
import type { Clock } from '../clock.ts';
import { noteCredentialChange } from '../credentials/credential-freshness.ts';
import type { Database } from '../database/database.ts';
import { listValueDigests } from '../database/token-values.ts';
import type { HandledLeak, LeakedValue, LeakKeeper } from '../leaked-value.ts';
import type { RotationService } from '../rotations/rotation-service.ts';
import type { TokenDigest } from '../secret.ts';
import type { LeakMode } from '../settings/setting-types.ts';
import { lockLineage, revokeAccessTokens } from './access-token-store.ts';
import { type FoundToken, findByValue, markLeaked } from './leaked-access-token-store.ts';
import type { UserService } from './user-service.ts';

interface LeakedAccessTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: AuditService;
  readonly rotations: Pick<RotationService, 'endEarlier'>;
  readonly users: Pick<UserService, 'forgetAccessTokens'>;
}

/** Access tokens whose value was found in public, also the one that MUSTER_ADMIN_TOKEN sets. */
export class LeakedAccessTokens implements LeakKeeper {
  readonly #options: LeakedAccessTokensOptions;

  constructor(options: LeakedAccessTokensOptions) {
    this.#options = options;
  }

  async findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]> {
    return listValueDigests(this.#options.database, 'access_tokens', digests);
  }

  /** A value from before a rotation is ended alone, because whoever has it does not have the current one. */
  async handleLeak({ digest, source, by }: LeakedValue, mode: LeakMode): Promise<HandledLeak | undefined> {
    const { database, clock, audit, rotations, users } = this.#options;
    const { engine } = database;
    const before = await findByValue(database.write, digest);
    if (before === undefined) return undefined;
    const isRevoked = mode === 'revoke';
    const changed = await database.write.transaction().execute(async (trx) => {
      await lockLineage(trx, engine, before.id);
      const row = await findByValue(trx, digest);
      const isTold = (row?.leaked_number ?? 0) >= (row?.found_number ?? 0);
      if (row === undefined || !isValid(row, clock()) || (isTold && !isRevoked)) return undefined;
      await markLeaked(trx, row.id, {
        leaked_at: clock(),
        leak_source: source,
        leaked_number: Math.max(row.found_number, row.leaked_number ?? 0),
      });
      const isCurrent = row.is_earlier === 0;
      const ended =
        isRevoked && isCurrent ? await revokeAccessTokens(trx, engine, [row.id], clock()) : [row.id];
      if (isRevoked && !isCurrent) await rotations.endEarlier(trx, row.id, digest);
      await audit.record(trx, by, {
        projectID: null,
        action: 'access_token.leaked',
        target: { kind: 'access_token', id: row.id, name: row.name },
        after: { source, value: isCurrent ? 'current' : 'earlier', revoked: isRevoked, userID: row.user_id },
      });
      await noteCredentialChange(trx);
      return ended;
    });
    if (changed === undefined) return undefined;
    users.forgetAccessTokens(changed);
    return { kind: 'access', id: before.id, projectID: undefined, isRevoked };
  }
}

function isValid({ revoked_at, expires_at, found_ends_at }: FoundToken, now: number): boolean {
  return (
    revoked_at === null &&
    (expires_at === null || expires_at > now) &&
    (found_ends_at === null || found_ends_at > now)
  );
}
