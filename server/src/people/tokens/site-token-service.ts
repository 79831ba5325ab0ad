import type { Grant } from '@muster/contract';
import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { storedGrants } from './delegation.ts';
import { listTokensByDigest } from './presented-token-store.ts';
import { effectiveGrants } from './token.ts';
import { listsOfNetworks } from './token-limits.ts';

interface SiteTokenRate {
  readonly tokenID: string;
  readonly reportsPerSecond: number;
}

/** What a site needs to judge who sends a value of a token. */
export interface SiteToken {
  readonly digest: string;
  readonly tokenID: string;
  readonly grants: readonly Grant[];
  /** Lists of networks; the address must be in one of each. */
  readonly networks: readonly (readonly string[])[];
  /** Limits on its reports: its own, and those of the tokens on which it depends. */
  readonly rates: readonly SiteTokenRate[];
  readonly expiresAt: number | null;
  readonly isRevoked: boolean;
}

interface SiteTokenServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
}

/** What sites are told of project tokens. */
export class SiteTokenService {
  readonly #options: SiteTokenServiceOptions;

  constructor(options: SiteTokenServiceOptions) {
    this.#options = options;
  }

  /** The values with these digests. Those of no token are missing. */
  async list(digests: readonly string[]): Promise<SiteToken[]> {
    const { database, clock } = this.#options;
    const found = await listTokensByDigest(database, digests, clock());
    return found.map(({ row, lineage, value }) => ({
      digest: value.digest,
      tokenID: row.id,
      grants: effectiveGrants(lineage.map(storedGrants)),
      networks: listsOfNetworks(lineage),
      rates: lineage.flatMap(({ id: tokenID, reports_per_second: reportsPerSecond }) =>
        reportsPerSecond === null ? [] : [{ tokenID, reportsPerSecond }],
      ),
      expiresAt: earlierOf(row.expires_at, value.isEarlier ? value.endsAt : null),
      isRevoked: row.revoked_at !== null,
    }));
  }
}

function earlierOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
