import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { listKnownDigests } from '../../foundation/database/token-values.ts';
import { type LeakableKind, leakReason } from '../leaks/leak-service.ts';
import type { RotationService } from '../rotations/rotation-service.ts';
import { tokenChange } from './audited-token.ts';
import { revokeTokens } from './ended-token-store.ts';
import { findTokenValue } from './leaked-token-store.ts';
import { statusAt } from './token.ts';
import { type TokenService, tokensOf } from './token-service.ts';
import { findToken, lockWithDescendants, updateToken } from './token-store.ts';

interface LeakedProjectTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly rotations: Pick<RotationService, 'endEarlier'>;
  readonly tokens: Pick<TokenService, 'forgetTokens'>;
}

/**
 * Project tokens whose value was found in public. A value from before a rotation is ended alone, because whoever has it does not have the current one.
 */
export function leakedProjectTokens(options: LeakedProjectTokensOptions): LeakableKind {
  const { database, clock, rotations, tokens } = options;
  return {
    kind: 'project',
    isAlwaysEnded: false,
    findLeaked: (digests) => listKnownDigests(database, ['project_tokens', 'earlier_secrets'], digests),
    async lock(trx, { digest, source, by }) {
      const found = await findTokenValue(trx, digest);
      if (found === undefined) return undefined;
      const { token_id: id, project_id: projectID } = found;
      await database.takeLock(trx, tokensOf(projectID));
      await lockWithDescendants(trx, database.engine, id);
      const now = clock();
      const value = await findTokenValue(trx, digest);
      const row = await findToken(trx, id);
      // A value that has ended cannot be used.
      if (value === undefined || row === undefined) return undefined;
      if (value.ends_at !== null && value.ends_at <= now) return undefined;
      const status = statusAt(now, { expiresAt: row.expires_at, revokedAt: row.revoked_at });
      if (status === 'revoked' || status === 'expired') return undefined;
      const leakedNumber = row.leaked_number ?? 0;
      const isCurrent = value.is_earlier === 0;
      let changed: readonly string[] = [id];
      return {
        id,
        projectID,
        isTold: leakedNumber >= value.number,
        mark: () =>
          updateToken(trx, id, {
            leaked_at: now,
            leak_source: source,
            leaked_number: Math.max(value.number, leakedNumber),
          }),
        async end() {
          const revocation = {
            at: now,
            by: { kind: 'system', id: null, name: by.name },
            reason: leakReason,
            endsAgents: false,
          };
          if (isCurrent) changed = await revokeTokens(trx, id, revocation);
          else await rotations.endEarlier(trx, id, digest);
        },
        event: (revoked) => ({
          type: 'token.leaked',
          kind: 'project',
          tokenID: id,
          agentID: null,
          name: row.name,
          revoked,
          source,
        }),
        change: (revoked) => ({
          ...tokenChange('token.leaked', row),
          after: { source, value: isCurrent ? 'current' : 'earlier', revoked },
        }),
        forget: () => tokens.forgetTokens(changed),
      };
    },
  };
}
