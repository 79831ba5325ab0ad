import { cleanUserAgent } from '../../foundation/credentials/clean-user-agent.ts';
import { type GatheredUse, mergeUses, type TokenUse } from '../../foundation/credentials/token-use.ts';
import type { Database } from '../../foundation/database/database.ts';
import { isDatabaseFailure } from '../../foundation/database/database-failures.ts';
import { LastUsed } from '../../foundation/database/last-used.ts';
import { WriteBehind } from '../../foundation/write-behind.ts';

interface TokenUsesOptions {
  readonly database: Database;
  /** Writes what was gathered, by the id of the token. */
  readonly write: (uses: ReadonlyMap<string, GatheredUse>) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

const intervalMilliseconds = 5_000;

/** Gathers the uses of tokens in memory and writes them in batches. */
export class TokenUses {
  readonly #open = new Set<TokenUse>();
  readonly #gathered: WriteBehind<GatheredUse>;
  /** Of values from before rotations, by their digests. */
  readonly #earlier: LastUsed;
  #timer: NodeJS.Timeout | undefined;

  constructor({ database, write, onFailure }: TokenUsesOptions) {
    this.#gathered = new WriteBehind({
      onFailure,
      isOutage: isDatabaseFailure,
      intervalMilliseconds,
      merge: mergeUses,
      write,
    });
    this.#earlier = new LastUsed(database, 'earlier_secrets', onFailure);
  }

  note(use: TokenUse, at: number): void {
    if (!use.count(at)) return;
    this.#open.add(use);
    this.#timer ??= setTimeout(() => void this.flush(), intervalMilliseconds);
  }

  /** Resolves when every use that was noted before is written, or when its write has failed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const use of this.#open) this.#take(use);
    this.#open.clear();
    await Promise.all([this.#gathered.flush(), this.#earlier.flush()]);
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
    await Promise.all([this.#gathered.close(), this.#earlier.close()]);
  }

  #take(use: TokenUse): void {
    const { userAgents, ...taken } = use.take();
    const cleaned = new Map([...userAgents].map(([text, at]) => [cleanUserAgent(text), at]));
    this.#gathered.add(use.tokenID, { ...taken, userAgents: cleaned });
    if (use.earlierDigest !== undefined) this.#earlier.add(use.earlierDigest, taken.lastUsedAt);
  }
}
