import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { listKnownDigests } from '../../foundation/database/token-values.ts';
import type { LeakableKind } from '../leaks/leak-service.ts';
import { tokensOf } from '../tokens/token-service.ts';
import { findInvitationByDigest, revokeInvitation } from './invitation-store.ts';

interface LeakedInvitationsOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/** Invitations whose code was found in public. */
export function leakedInvitations({ database, clock }: LeakedInvitationsOptions): LeakableKind {
  return {
    kind: 'invitation',
    isAlwaysEnded: true,
    findLeaked: (digests) => listKnownDigests(database, ['invitations'], digests),
    async lock(trx, { digest, source }) {
      const found = await findInvitationByDigest(trx, digest);
      if (found === undefined) return undefined;
      const { id, project_id: projectID } = found;
      await database.takeLock(trx, tokensOf(projectID));
      const row = await findInvitationByDigest(trx, digest);
      const isOpen = row?.accepted_at === null && row.revoked_at === null && row.expires_at > clock();
      if (!isOpen) return undefined;
      return {
        id,
        projectID,
        end: () => revokeInvitation(trx, id, clock()),
        change: () => ({
          projectID,
          action: 'invitation.revoked',
          target: { kind: 'invitation', id },
          after: { source, leaked: true },
        }),
      };
    },
  };
}
