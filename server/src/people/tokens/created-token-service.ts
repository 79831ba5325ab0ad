import type { Kysely } from 'kysely';
import type { Clock } from '../../foundation/clock.ts';
import { actorOf, nameOf, type Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { RotationService } from '../rotations/rotation-service.ts';
import { revokeTokens } from './ended-token-store.ts';
import { listValidKnownTo, lockWithDescendants } from './token-store.ts';

interface CreatedTokenServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly rotations: Pick<RotationService, 'endEarlierOf'>;
}

interface UserOfProject {
  readonly projectID: string;
  readonly userID: string;
}

/** The tokens that a user has created or rotated in a project: they belong to the project, and stay when the user goes. */
export class CreatedTokenService {
  readonly #options: CreatedTokenServiceOptions;

  constructor(options: CreatedTokenServiceOptions) {
    this.#options = options;
  }

  /** The number of valid ones, read inside a transaction of the caller. */
  async count(trx: Kysely<Tables>, user: UserOfProject): Promise<number> {
    const { clock } = this.#options;
    return (await listValidKnownTo(trx, { ...user, now: clock() })).length;
  }

  /**
   * Revokes all, inside a transaction of the caller, who holds the lock `tokensOf`. Of a token that somebody else has rotated since, only the values
   * that the user knows end. Returns the ids, with those of descendants.
   */
  async revoke(trx: Kysely<Tables>, principal: Principal, user: UserOfProject): Promise<string[]> {
    const { database, clock, rotations } = this.#options;
    const by = { ...actorOf(principal), name: nameOf(principal) };
    const reason = 'a member who had created or rotated it was removed from the project';
    const revocation = { at: clock(), by, reason, endsAgents: false };
    const revoked = new Set<string>();
    const known = await listValidKnownTo(trx, { ...user, now: clock() });
    for (const { id, isCurrent } of known) {
      await lockWithDescendants(trx, database.engine, id);
      if (!isCurrent) continue;
      for (const one of await revokeTokens(trx, id, revocation)) revoked.add(one);
    }
    const rest = known.map(({ id }) => id).filter((id) => !revoked.has(id));
    if (rest.length > 0) await rotations.endEarlierOf(trx, rest, user.userID);
    return [...revoked, ...rest];
  }
}
