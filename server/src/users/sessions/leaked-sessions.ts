import type { AuditService } from '../../audit/audit-service.ts';
import type { Clock } from '../../clock.ts';
import { noteCredentialChange } from '../../credentials/credential-freshness.ts';
import type { Database } from '../../database/database.ts';
import type { HandledLeak, LeakedValue, LeakKeeper } from '../../leaked-value.ts';
import type { TokenDigest } from '../../secret.ts';
import { isOfSession, type SessionCredentials } from './session-credentials.ts';
import { findSessionByDigest, listSessionDigests, revokeSession } from './session-store.ts';

interface LeakedSessionsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Pick<AuditService, 'record'>;
  readonly credentials: Pick<SessionCredentials, 'forget'>;
}

/** Sessions whose cookie was found in public. They are ended in every mode: they belong to no project that could be told, and a person signs in again easily. */
export class LeakedSessions implements LeakKeeper {
  readonly #options: LeakedSessionsOptions;

  constructor(options: LeakedSessionsOptions) {
    this.#options = options;
  }

  async findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]> {
    return listSessionDigests(this.#options.database, digests);
  }

  /** One that was not used for too long is ended too, because another replica may know of a later use. */
  async handleLeak({ digest, source, by }: LeakedValue): Promise<HandledLeak | undefined> {
    const { database, clock, audit, credentials } = this.#options;
    const found = await findSessionByDigest(database.write, digest);
    if (found === undefined || found.expires_at <= clock()) return undefined;
    const { id, user_id: userID } = found;
    const isRevoked = await database.write.transaction().execute(async (trx) => {
      if (!(await revokeSession(trx, id, clock()))) return false;
      await audit.record(trx, by, {
        projectID: null,
        action: 'session.leaked',
        target: { kind: 'session', id },
        after: { source, revoked: true, userID },
      });
      await noteCredentialChange(trx);
      return true;
    });
    if (!isRevoked) return undefined;
    credentials.forget(isOfSession(id));
    return { kind: 'session', id, projectID: undefined, isRevoked };
  }
}
