import type { AuditService } from '../audit/audit-service.ts';
import type { Clock } from '../clock.ts';
import { noteCredentialChange } from '../credentials/credential-freshness.ts';
import type { Database } from '../database/database.ts';
import { noteEvent } from '../database/note-event.ts';
import type { HandledLeak, LeakedValue, LeakKeeper } from '../leaked-value.ts';
import type { TokenDigest } from '../secret.ts';
import type { LeakMode } from '../settings/setting-types.ts';
import type { CoreInstanceCredentials } from './core-instance-credentials.ts';
import {
  type CoreInstanceRow,
  listByDigest,
  lockCoreInstance,
  updateCoreInstance,
} from './core-instance-store.ts';

interface LeakedCoreInstancesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: AuditService;
  readonly credentials: Pick<CoreInstanceCredentials, 'forget'>;
}

/** Tokens of core instances whose value was found in public. What waits at the site stays there until somebody rotates the token. */
export class LeakedCoreInstances implements LeakKeeper {
  readonly #options: LeakedCoreInstancesOptions;

  constructor(options: LeakedCoreInstancesOptions) {
    this.#options = options;
  }

  async findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]> {
    const { engine, write } = this.#options.database;
    const rows = await listByDigest(write, engine, digests);
    return rows.flatMap(({ digest, earlier_digest: earlier }) => [
      digest,
      ...(earlier === null ? [] : [earlier]),
    ]);
  }

  /** A token from before a rotation is ended alone, because whoever has it does not have the current one. */
  async handleLeak({ digest, source, by }: LeakedValue, mode: LeakMode): Promise<HandledLeak | undefined> {
    const { database, clock, audit, credentials } = this.#options;
    const [found] = await listByDigest(database.write, database.engine, [digest]);
    if (found === undefined) return undefined;
    const isRevoked = mode === 'revoke';
    const changed = await database.write.transaction().execute(async (trx) => {
      const now = clock();
      const row = await lockCoreInstance(trx, database.engine, found.id);
      const value = row === undefined ? undefined : validValue(row, digest, now);
      if (row === undefined || value === undefined) return undefined;
      if (isRevoked) {
        const end = value === 'current' ? { revoked_at: now } : { earlier_ends_at: now, earlier_retires: 0 };
        await updateCoreInstance(trx, row.id, { ...end, updated_at: now });
      }
      const { id, name, project_id: projectID } = row;
      await noteEvent(trx, projectID, { type: 'core_instance.leaked', coreInstanceID: id, name });
      await audit.record(trx, by, {
        projectID,
        action: 'core_instance.leaked',
        target: { kind: 'core_instance', id, name },
        after: { source, value, revoked: isRevoked },
      });
      await noteCredentialChange(trx);
      return row;
    });
    if (changed === undefined) return undefined;
    credentials.forget(changed.id);
    return { kind: 'core_instance', id: changed.id, projectID: changed.project_id, isRevoked };
  }
}

/** Which of its tokens it is; undefined if that one is refused anyway. */
function validValue(row: CoreInstanceRow, digest: string, now: number): 'current' | 'earlier' | undefined {
  if (row.deleted_at !== null || row.revoked_at !== null) return undefined;
  if (row.digest === digest) return 'current';
  const isValid =
    row.earlier_digest === digest && (row.earlier_ends_at === null || row.earlier_ends_at > now);
  return isValid ? 'earlier' : undefined;
}
