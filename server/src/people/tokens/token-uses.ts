import { cleanUserAgent } from '../../foundation/credentials/clean-user-agent.ts';
import { type GatheredUse, mergeUses, type TokenUse } from '../../foundation/credentials/token-use.ts';
import type { Database } from '../../foundation/database/database.ts';
import { isDatabaseFailure } from '../../foundation/database/database-failures.ts';
import { WriteBehind } from '../../foundation/write-behind.ts';
import { writeLastUses, writeUses } from './token-use-store.ts';

interface TokenUsesOptions {
  readonly database: Database;
  readonly onFailure: (error: unknown) => void;
}

const intervalMilliseconds = 5_000;

/** Gathers the uses of tokens in memory and writes them in batches. */
export class TokenUses {
  readonly #open = new Set<TokenUse>();
  readonly #gathered: WriteBehind<GatheredUse>;
  /** Of values from before rotations, by their digests. */
  readonly #earlier: WriteBehind<GatheredUse>;
  #timer: NodeJS.Timeout | undefined;

  constructor({ database, onFailure }: TokenUsesOptions) {
    const writeBehind = (write: (uses: ReadonlyMap<string, GatheredUse>) => Promise<void>) =>
      new WriteBehind({
        onFailure,
        isOutage: isDatabaseFailure,
        intervalMilliseconds,
        merge: mergeUses,
        write,
      });
    this.#gathered = writeBehind((uses) => writeUses(database, uses));
    this.#earlier = writeBehind((uses) => writeLastUses(database, 'earlier_secrets', uses));
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
    const gathered = { ...taken, userAgents: cleaned };
    this.#gathered.add(use.tokenID, gathered);
    if (use.earlierDigest !== undefined) this.#earlier.add(use.earlierDigest, gathered);
  }
}
