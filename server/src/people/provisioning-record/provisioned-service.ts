import type { Grant, ProvisioningChange } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Clock } from '../../foundation/clock.ts';
import type { UserPrincipal } from '../../foundation/credentials/principal.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { invalidBody } from '../../foundation/refusal.ts';
import { hasProvisioned, insertProvisioned, type ProvisionedKind } from './provisioned-store.ts';

/** What became of one element of a provisioning file, if it was not as the file says already. */
export type ProvisionOutcome = Pick<ProvisioningChange, 'action' | 'id' | 'name' | 'fields' | 'reason'>;

/** Who applies a provisioning file to a project, in one transaction. */
export interface Provisioning {
  readonly trx: Kysely<Tables>;
  readonly projectID: string;
  /** Undefined: the service itself, at its start. */
  readonly user: UserPrincipal | undefined;
  /** What the user may do in the project now. */
  readonly held: readonly Grant[];
  readonly memory: ProvisionedService;
}

/** What files have made before. It is remembered for ever, so that nothing comes back that a person has ended. */
export class ProvisionedService {
  readonly #trx: Kysely<Tables>;
  readonly #clock: Clock;
  /** What this file has named so far. */
  readonly #named = new Set<string>();

  constructor(trx: Kysely<Tables>, clock: Clock) {
    this.#trx = trx;
    this.#clock = clock;
  }

  /** @throws Refusal invalid_body, if this file names it twice: each application would change it to and fro. */
  refuseSecond(kind: ProvisionedKind, key: string, field: string): void {
    const name = `${kind} ${key}`;
    if (this.#named.has(name))
      throw invalidBody([{ path: field, message: `names a ${kind} for the second time` }]);
    this.#named.add(name);
  }

  async has(kind: ProvisionedKind, key: string): Promise<boolean> {
    return hasProvisioned(this.#trx, kind, key);
  }

  async note(kind: ProvisionedKind, key: string): Promise<void> {
    await insertProvisioned(this.#trx, { kind, key, applied_at: this.#clock() });
  }
}

/** The fields that differ, in the order of the second argument. */
export function differingFields(
  before: Readonly<Record<string, string | null>>,
  after: Readonly<Record<string, string | null>>,
): ProvisionOutcome['fields'] {
  return Object.entries(after)
    .filter(([field, value]) => (before[field] ?? null) !== value)
    .map(([field, value]) => ({ field, before: before[field] ?? null, after: value }));
}

export function skipped({ id, name }: { readonly id: string; readonly name: string }, reason: string) {
  return { action: 'skip', id, name, fields: [], reason } satisfies ProvisionOutcome;
}
