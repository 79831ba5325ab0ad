import type { Clock } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { listKnownDigests } from '../../../foundation/database/token-values.ts';
import type { LeakableKind } from '../../leaks/leak-service.ts';
import { isOfSession, type SessionCredentials } from './session-credentials.ts';
import { findSessionByDigest, revokeSession } from './session-store.ts';
import { findSignInLink, useSignInLink } from './sign-in-link-store.ts';

interface LeakedSessionsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly credentials: Pick<SessionCredentials, 'forget'>;
}

/** Sessions whose cookie was found in public. One that was not used for too long is ended too, because another replica may know of a later use. */
export function leakedSessions({ database, clock, credentials }: LeakedSessionsOptions): LeakableKind {
  return {
    kind: 'session',
    isAlwaysEnded: true,
    findLeaked: (digests) => listKnownDigests(database, ['sessions'], digests),
    async lock(trx, { digest, source }) {
      const found = await findSessionByDigest(trx, digest);
      if (found === undefined || found.expires_at <= clock()) return undefined;
      const { id, user_id: userID } = found;
      if (!(await revokeSession(trx, id, clock()))) return undefined;
      return {
        id,
        change: (revoked) => ({
          projectID: null,
          action: 'session.leaked',
          target: { kind: 'session', id },
          after: { source, revoked, userID },
        }),
        forget: () => credentials.forget(isOfSession(id)),
      };
    },
  };
}

/** Sign-in links that were found in public. They are ended as if they had been used. */
export function leakedSignInLinks({
  database,
  clock,
}: Pick<LeakedSessionsOptions, 'database' | 'clock'>): LeakableKind {
  return {
    kind: 'sign_in_link',
    isAlwaysEnded: true,
    findLeaked: (digests) => listKnownDigests(database, ['sign_in_links'], digests),
    async lock(trx, { digest, source }) {
      const found = await findSignInLink(trx, digest);
      if (found === undefined || found.expires_at <= clock()) return undefined;
      const { id, user_id: userID, user_name: name } = found;
      if (!(await useSignInLink(trx, id, clock()))) return undefined;
      return {
        id,
        change: (revoked) => ({
          projectID: null,
          action: 'sign_in_link.leaked',
          target: { kind: 'sign_in_link', id, name },
          after: { source, revoked, userID },
        }),
      };
    },
  };
}
