import type { Clock } from '../foundation/clock.ts';
import type { Database } from '../foundation/database/database.ts';
import type { LeakableKind } from '../people/leaks/leak-service.ts';
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
  readonly credentials: Pick<CoreInstanceCredentials, 'forget'>;
}

/**
 * Tokens of core instances whose value was found in public. What waits at the site stays there until somebody rotates the token. A token from before a
 * rotation is ended alone, because whoever has it does not have the current one.
 */
export function leakedCoreInstances({
  database,
  clock,
  credentials,
}: LeakedCoreInstancesOptions): LeakableKind {
  const { engine, write } = database;
  return {
    kind: 'core_instance',
    isAlwaysEnded: false,
    async findLeaked(digests) {
      const rows = await listByDigest(write, engine, digests);
      return rows.flatMap(({ digest, earlier_digest: earlier }) => [
        digest,
        ...(earlier === null ? [] : [earlier]),
      ]);
    },
    async lock(trx, { digest, source }) {
      const now = clock();
      const [found] = await listByDigest(trx, engine, [digest]);
      const row = found && (await lockCoreInstance(trx, engine, found.id));
      const value = row && validValue(row, digest, now);
      if (row === undefined || value === undefined) return undefined;
      const { id, name, project_id: projectID } = row;
      const end = value === 'current' ? { revoked_at: now } : { earlier_ends_at: now, earlier_retires: 0 };
      return {
        id,
        projectID,
        end: () => updateCoreInstance(trx, id, { ...end, updated_at: now }),
        event: () => ({ type: 'core_instance.leaked', coreInstanceID: id, name }),
        change: (revoked) => ({
          projectID,
          action: 'core_instance.leaked',
          target: { kind: 'core_instance', id, name },
          after: { source, value, revoked },
        }),
        forget: () => credentials.forget(id),
      };
    },
  };
}

/** Which of its tokens it is; undefined if that one is refused anyway. */
function validValue(row: CoreInstanceRow, digest: string, now: number): 'current' | 'earlier' | undefined {
  if (row.deleted_at !== null || row.revoked_at !== null) return undefined;
  if (row.digest === digest) return 'current';
  const isValid =
    row.earlier_digest === digest && (row.earlier_ends_at === null || row.earlier_ends_at > now);
  return isValid ? 'earlier' : undefined;
}
