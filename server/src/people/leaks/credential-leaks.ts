import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import type { Database } from '../../foundation/database/database.ts';
import { noteEvent } from '../../foundation/database/note-event.ts';
import type { TokenDigest } from '../../foundation/secret.ts';
import type { LeakMode } from '../../foundation/settings/setting-types.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';
import type { HandledLeak, LeakableKind, LeakedValue, LeakKeeper } from './leak-service.ts';

interface CredentialLeaksOptions {
  readonly database: Database;
  readonly audit: Pick<AuditService, 'record'>;
  readonly kind: LeakableKind;
}

/** Marks or ends credentials of one kind whose values were found in public, and tells of it. */
export class CredentialLeaks implements LeakKeeper {
  readonly #options: CredentialLeaksOptions;

  constructor(options: CredentialLeaksOptions) {
    this.#options = options;
  }

  findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]> {
    return this.#options.kind.findLeaked(digests);
  }

  async handleLeak(leak: LeakedValue, mode: LeakMode): Promise<HandledLeak | undefined> {
    const { database, audit, kind } = this.#options;
    const isRevoked = kind.isAlwaysEnded || mode === 'revoke';
    const found = await database.write.transaction().execute(async (trx) => {
      const credential = await kind.lock(trx, leak);
      if (credential === undefined || (credential.isTold === true && !isRevoked)) return undefined;
      await credential.mark?.();
      if (isRevoked) await credential.end?.();
      const { projectID } = credential;
      const event = credential.event?.(isRevoked);
      if (projectID !== undefined && event !== undefined) await noteEvent(trx, projectID, event);
      await audit.record(trx, leak.by, credential.change(isRevoked));
      await noteCredentialChange(trx);
      return credential;
    });
    if (found === undefined) return undefined;
    found.forget?.();
    return { kind: kind.kind, id: found.id, projectID: found.projectID, isRevoked };
  }
}
