import type { AuditService } from '../audit/audit-service.ts';
import type { Clock } from '../clock.ts';
import { noteCredentialChange } from '../credentials/credential-freshness.ts';
import type { Database } from '../database/database.ts';
import type { HandledLeak, LeakedValue, LeakKeeper } from '../leaked-value.ts';
import type { TokenDigest } from '../secret.ts';
import { tokensOf } from '../tokens/token-service.ts';
import { findInvitationByDigest, listInvitationDigests, revokeInvitation } from './invitation-store.ts';

interface LeakedInvitationsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: AuditService;
}

/** Invitations whose code was found in public. They are revoked in every mode: another one is sent easily. */
export class LeakedInvitations implements LeakKeeper {
  readonly #options: LeakedInvitationsOptions;

  constructor(options: LeakedInvitationsOptions) {
    this.#options = options;
  }

  async findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]> {
    return listInvitationDigests(this.#options.database, digests);
  }

  async handleLeak({ digest, source, by }: LeakedValue): Promise<HandledLeak | undefined> {
    const { database, clock, audit } = this.#options;
    const found = await findInvitationByDigest(database.write, digest);
    if (found === undefined) return undefined;
    const { id, project_id: projectID } = found;
    const isRevoked = await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, tokensOf(projectID));
      const row = await findInvitationByDigest(trx, digest);
      const isOpen = row?.accepted_at === null && row.revoked_at === null && row.expires_at > clock();
      if (!isOpen) return false;
      await revokeInvitation(trx, id, clock());
      await audit.record(trx, by, {
        projectID,
        action: 'invitation.revoked',
        target: { kind: 'invitation', id },
        after: { source, leaked: true },
      });
      await noteCredentialChange(trx);
      return true;
    });
    return isRevoked ? { kind: 'invitation', id, projectID, isRevoked } : undefined;
  }
}
