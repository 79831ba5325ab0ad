import { isWellFormedToken } from '@muster/contract';
import type { Clock, MonotonicClock } from '../foundation/clock.ts';
import { CredentialCache } from '../foundation/credentials/credential-cache.ts';
import { noteCredentialChange } from '../foundation/credentials/credential-freshness.ts';
import { type CoreInstancePrincipal, coreInstanceGrants } from '../foundation/credentials/principal.ts';
import type { StoredCredential } from '../foundation/credentials/stored-credential.ts';
import type { Database } from '../foundation/database/database.ts';
import { createFindMoving } from '../foundation/database/moving-projects.ts';
import type { TokenDigest } from '../foundation/secret.ts';
import type { AuditService } from '../record/audit/audit-service.ts';
import * as store from './core-instance-store.ts';

interface CoreInstanceCredentialsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly audit: Pick<AuditService, 'record'>;
}

/** Ends the token from before a rotation. */
const byFirstUse = { kind: 'system', name: 'first use of a newer value' } as const;

/** The tokens of core instances. */
export class CoreInstanceCredentials {
  readonly #options: CoreInstanceCredentialsOptions;
  readonly cache: CredentialCache;

  constructor(options: CoreInstanceCredentialsOptions) {
    this.#options = options;
    this.cache = new CredentialCache({
      clock: options.clock,
      monotonic: options.monotonic,
      isWellFormed: (value) => isWellFormedToken('core_instance', value),
      find: (digests) => this.#find(digests),
      findMoving: createFindMoving(options.database, 'core_instance'),
      areAllRandom: true,
    });
  }

  /** Call it in the same turn of the event loop in which a change of a core instance was committed. */
  forget(coreInstanceID: string): void {
    this.cache.forget(
      (principal) => principal.kind === 'core_instance' && principal.coreInstanceID === coreInstanceID,
    );
  }

  forgetProject(projectID: string): void {
    this.cache.forget((principal) => principal.kind === 'core_instance' && principal.projectID === projectID);
  }

  async #find(digests: readonly string[]): Promise<ReadonlyMap<string, StoredCredential>> {
    const { database } = this.#options;
    const rows = await store.listByDigest(database.read, database.engine, digests);
    const found = new Map<string, StoredCredential>();
    for (const row of rows) {
      const { digest, earlier_digest: earlier } = row;
      const noteFirstUse = row.earlier_retires === 1 ? () => this.#noteFirstUse(row) : undefined;
      found.set(digest, { ...toStored(row), noteFirstUse });
      if (earlier !== null) found.set(earlier, toStored(row, earlier));
    }
    return found;
  }

  /** Committed before the request with the new token is admitted. */
  async #noteFirstUse({ id, digest, project_id: projectID, name }: store.CoreInstanceRow): Promise<void> {
    const { database, clock, audit } = this.#options;
    await database.write.transaction().execute(async (trx) => {
      if (!(await store.retireEarlier(trx, id, digest, clock()))) return;
      await audit.record(trx, byFirstUse, {
        projectID,
        action: 'core_instance.earlier_values_ended',
        target: { kind: 'core_instance', id, name },
      });
      await noteCredentialChange(trx);
    });
    this.forget(id);
  }
}

function toStored(row: store.CoreInstanceRow, earlier?: string): StoredCredential {
  const digest = (earlier ?? row.digest) as TokenDigest; // read from where digests are stored
  const principal: CoreInstancePrincipal = {
    kind: 'core_instance',
    coreInstanceID: row.id,
    digest,
    name: row.name,
    projectID: row.project_id,
    grants: coreInstanceGrants,
    expiresAt: null,
    earlierValue: earlier === undefined ? undefined : { endsAt: row.earlier_ends_at },
  };
  return {
    principal,
    revoked: row.revoked_at !== null,
    deleted: row.deleted_at === null ? undefined : 'core_instance_deleted',
  };
}
