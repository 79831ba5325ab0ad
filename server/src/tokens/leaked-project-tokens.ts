import type { Kysely } from 'kysely';
import type { AuditService } from '../audit/audit-service.ts';
import type { Clock } from '../clock.ts';
import { noteCredentialChange } from '../credentials/credential-freshness.ts';
import type { Database } from '../database/database.ts';
import { noteEvent } from '../database/note-event.ts';
import type { Tables } from '../database/tables.ts';
import { listValueDigests } from '../database/token-values.ts';
import { type HandledLeak, type LeakedValue, type LeakKeeper, leakReason } from '../leaked-value.ts';
import type { RotationService } from '../rotations/rotation-service.ts';
import type { TokenDigest } from '../secret.ts';
import type { LeakMode } from '../settings/setting-types.ts';
import { leakedToken } from './audited-token.ts';
import { revokeTokens } from './ended-token-store.ts';
import { findTokenValue, type TokenValue } from './leaked-token-store.ts';
import { statusAt } from './token.ts';
import { type TokenService, tokensOf } from './token-service.ts';
import { findToken, lockWithDescendants, type TokenRow, updateToken } from './token-store.ts';

interface LeakedProjectTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: AuditService;
  readonly rotations: Pick<RotationService, 'endEarlier'>;
  readonly tokens: Pick<TokenService, 'forgetTokens'>;
}

/** A value that was found, and its token, both locked. */
interface Found {
  readonly row: TokenRow;
  readonly value: TokenValue;
}

/** Project tokens whose value was found in public. */
export class LeakedProjectTokens implements LeakKeeper {
  readonly #options: LeakedProjectTokensOptions;

  constructor(options: LeakedProjectTokensOptions) {
    this.#options = options;
  }

  async findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]> {
    return listValueDigests(this.#options.database, 'project_tokens', digests);
  }

  /** A value from before a rotation is ended alone, because whoever has it does not have the current one. */
  async handleLeak(leak: LeakedValue, mode: LeakMode): Promise<HandledLeak | undefined> {
    const { database, tokens } = this.#options;
    const found = await findTokenValue(database.write, leak.digest);
    if (found === undefined) return undefined;
    const { token_id: tokenID, project_id: projectID } = found;
    const isRevoked = mode === 'revoke';
    const changed = await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      await lockWithDescendants(trx, database.engine, tokenID);
      const valid = await this.#findValid(trx, leak.digest);
      const isTold = valid !== undefined && (valid.row.leaked_number ?? 0) >= valid.value.number;
      if (valid === undefined || (isTold && !isRevoked)) return undefined;
      return this.#handle(trx, valid, leak, isRevoked);
    });
    if (changed === undefined) return undefined;
    tokens.forgetTokens(changed);
    return { kind: 'project', id: tokenID, projectID, isRevoked };
  }

  /** Undefined for a value that has ended, and so cannot be used. */
  async #findValid(trx: Kysely<Tables>, digest: TokenDigest): Promise<Found | undefined> {
    const now = this.#options.clock();
    const value = await findTokenValue(trx, digest);
    const row = value === undefined ? undefined : await findToken(trx, value.token_id);
    if (value === undefined || row === undefined) return undefined;
    const status = statusAt(now, { expiresAt: row.expires_at, revokedAt: row.revoked_at });
    if (status === 'revoked' || status === 'expired') return undefined;
    return value.ends_at !== null && value.ends_at <= now ? undefined : { row, value };
  }

  /** Returns the ids of the tokens that were changed. */
  async #handle(
    trx: Kysely<Tables>,
    { row, value }: Found,
    { digest, source, by }: LeakedValue,
    isRevoked: boolean,
  ): Promise<string[]> {
    const { clock, audit, rotations } = this.#options;
    await updateToken(trx, row.id, {
      leaked_at: clock(),
      leak_source: source,
      leaked_number: Math.max(value.number, row.leaked_number ?? 0),
    });
    const isCurrent = value.is_earlier === 0;
    const revocation = {
      at: clock(),
      by: { kind: 'system', id: null, name: by.name },
      reason: leakReason,
      endsAgents: false,
    };
    const ended = isRevoked && isCurrent ? await revokeTokens(trx, row.id, revocation) : [row.id];
    if (isRevoked && !isCurrent) await rotations.endEarlier(trx, row.id, digest);
    await noteEvent(trx, row.project_id, {
      type: 'token.leaked',
      kind: 'project',
      tokenID: row.id,
      agentID: null,
      name: row.name,
      revoked: isRevoked,
      source,
    });
    await audit.record(trx, by, leakedToken(row, { source, isCurrent, isRevoked }));
    await noteCredentialChange(trx);
    return ended;
  }
}
