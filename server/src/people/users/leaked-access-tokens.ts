import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { listKnownDigests } from '../../foundation/database/token-values.ts';
import type { LeakableKind } from '../leaks/leak-service.ts';
import type { RotationService } from '../rotations/rotation-service.ts';
import { lockLineage, revokeAccessTokens } from './access-token-store.ts';
import { type FoundToken, findByValue, markLeaked } from './leaked-access-token-store.ts';
import type { UserService } from './user-service.ts';

interface LeakedAccessTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly rotations: Pick<RotationService, 'endEarlier'>;
  readonly users: Pick<UserService, 'forgetAccessTokens'>;
}

/**
 * Access tokens whose value was found in public, also the one that MUSTER_ADMIN_TOKEN sets. A value from before a rotation is ended alone, because
 * whoever has it does not have the current one.
 */
export function leakedAccessTokens(options: LeakedAccessTokensOptions): LeakableKind {
  const { database, clock, rotations, users } = options;
  const { engine } = database;
  return {
    kind: 'access',
    isAlwaysEnded: false,
    findLeaked: (digests) => listKnownDigests(database, ['access_tokens', 'earlier_secrets'], digests),
    async lock(trx, { digest, source }) {
      const found = await findByValue(trx, digest);
      if (found === undefined) return undefined;
      await lockLineage(trx, engine, found.id);
      const row = await findByValue(trx, digest);
      if (row === undefined || !isValid(row, clock())) return undefined;
      const { id, name, user_id: userID, found_number: number } = row;
      const leakedNumber = row.leaked_number ?? 0;
      const isCurrent = row.is_earlier === 0;
      let changed: readonly string[] = [id];
      return {
        id,
        isTold: leakedNumber >= number,
        mark: () =>
          markLeaked(trx, id, {
            leaked_at: clock(),
            leak_source: source,
            leaked_number: Math.max(number, leakedNumber),
          }),
        async end() {
          if (isCurrent) changed = await revokeAccessTokens(trx, engine, [id], clock());
          else await rotations.endEarlier(trx, id, digest);
        },
        change: (revoked) => ({
          projectID: null,
          action: 'access_token.leaked',
          target: { kind: 'access_token', id, name },
          after: { source, value: isCurrent ? 'current' : 'earlier', revoked, userID },
        }),
        forget: () => users.forgetAccessTokens(changed),
      };
    },
  };
}

function isValid({ revoked_at, expires_at, found_ends_at }: FoundToken, now: number): boolean {
  return (
    revoked_at === null &&
    (expires_at === null || expires_at > now) &&
    (found_ends_at === null || found_ends_at > now)
  );
}
