import type { AuditService } from '../../audit/audit-service.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import type { HandledLeak, LeakedValue, LeakKeeper } from '../../leaked-value.ts';
import type { TokenDigest } from '../../secret.ts';
import { findSignInLink, listSignInLinkDigests, useSignInLink } from './sign-in-link-store.ts';

interface LeakedSignInLinksOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Pick<AuditService, 'record'>;
}

/** Sign-in links that were found in public. They are ended in every mode, as if they had been used: another one is created easily. */
export class LeakedSignInLinks implements LeakKeeper {
  readonly #options: LeakedSignInLinksOptions;

  constructor(options: LeakedSignInLinksOptions) {
    this.#options = options;
  }

  async findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]> {
    return listSignInLinkDigests(this.#options.database, digests);
  }

  async handleLeak({ digest, source, by }: LeakedValue): Promise<HandledLeak | undefined> {
    const { database, clock, audit } = this.#options;
    const found = await findSignInLink(database.write, digest);
    if (found === undefined || found.expires_at <= clock()) return undefined;
    const { id, user_id: userID, user_name: name } = found;
    const isRevoked = await database.write.transaction().execute(async (trx) => {
      if (!(await useSignInLink(trx, id, clock()))) return false;
      await audit.record(trx, by, {
        projectID: null,
        action: 'sign_in_link.leaked',
        target: { kind: 'sign_in_link', id, name },
        after: { source, revoked: true, userID },
      });
      return true;
    });
    return isRevoked ? { kind: 'sign_in_link', id, projectID: undefined, isRevoked } : undefined;
  }
}
