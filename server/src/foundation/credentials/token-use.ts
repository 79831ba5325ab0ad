const dayMilliseconds = 86_400_000;
const maxOrigins = 5;

/** The sender of a request, as far as it says. */
export interface Origin {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}

/** What was gathered about a value of a token since the last write. */
export interface GatheredUse {
  readonly lastUsedAt: number;
  /** Requests by day, in days since 1970-01-01 UTC. */
  readonly days: ReadonlyMap<number, number>;
  /** The last five of each, with the time of their last request. */
  readonly addresses: ReadonlyMap<string, number>;
  readonly userAgents: ReadonlyMap<string, number>;
}

/**
 * Counts the requests of one value of a token. Every request counts here, so it costs an addition and a comparison. Its memory has a limit, whatever
 * callers send.
 */
export class TokenUse {
  readonly tokenID: string;
  /** The digest of the value, if it is from before a rotation. */
  readonly earlierDigest: string | undefined;
  #requests = 0;
  /** Requests that are counted twice, and were already taken. */
  #owed = 0;
  #lastUsedAt = 0;
  #dayEndsAt = 0;
  #days = new Map<number, number>();
  #addresses = new Map<string, number>();
  #userAgents = new Map<string, number>();

  constructor(tokenID: string, earlierDigest: string | undefined) {
    this.tokenID = tokenID;
    this.earlierDigest = earlierDigest;
  }

  /** Returns true for the first request since the last `take`. */
  count(at: number): boolean {
    if (at >= this.#dayEndsAt || at < this.#dayEndsAt - dayMilliseconds) this.#beginDay(at);
    this.#lastUsedAt = at;
    if (this.#owed > 0) {
      this.#owed -= 1;
      return false;
    }
    this.#requests += 1;
    return this.#requests === 1 && this.#days.size === 0;
  }

  /** For a request that is counted twice: before it is passed on to where it is counted too, or after its credential was checked again. */
  countOnce(): void {
    if (this.#requests > 0) this.#requests -= 1;
    else this.#owed += 1;
  }

  /** True if the origin of the request that was just counted is noted: of the first ones, and of some of many. */
  get wantsOrigin(): boolean {
    return this.#requests <= 16 || (this.#requests & 63) === 0;
  }

  noteOrigin({ address, userAgent }: Origin): void {
    if (address !== undefined) noteRecent(this.#addresses, address, this.#lastUsedAt);
    if (userAgent !== undefined) noteRecent(this.#userAgents, userAgent, this.#lastUsedAt);
  }

  take(): GatheredUse {
    this.#endDay();
    const taken = {
      lastUsedAt: this.#lastUsedAt,
      days: this.#days,
      addresses: this.#addresses,
      userAgents: this.#userAgents,
    };
    this.#days = new Map();
    this.#addresses = new Map();
    this.#userAgents = new Map();
    return taken;
  }

  #beginDay(at: number): void {
    this.#endDay();
    this.#dayEndsAt = (Math.floor(at / dayMilliseconds) + 1) * dayMilliseconds;
  }

  #endDay(): void {
    if (this.#requests === 0) return;
    const day = this.#dayEndsAt / dayMilliseconds - 1;
    this.#days.set(day, (this.#days.get(day) ?? 0) + this.#requests);
    this.#requests = 0;
  }
}

/** Combines what was gathered of the same token. */
export function mergeUses(one: GatheredUse, other: GatheredUse): GatheredUse {
  const [earlier, later] = one.lastUsedAt <= other.lastUsedAt ? [one, other] : [other, one];
  const days = new Map(one.days);
  for (const [day, requests] of other.days) days.set(day, (days.get(day) ?? 0) + requests);
  return {
    lastUsedAt: later.lastUsedAt,
    days,
    addresses: mergeRecent(earlier.addresses, later.addresses),
    userAgents: mergeRecent(earlier.userAgents, later.userAgents),
  };
}

function mergeRecent(earlier: ReadonlyMap<string, number>, later: ReadonlyMap<string, number>) {
  const merged = new Map(earlier);
  for (const [text, at] of later) noteRecent(merged, text, at);
  return merged;
}

/** The first entry of the map is the one that was noted longest ago. */
function noteRecent(recent: Map<string, number>, text: string, at: number): void {
  const known = recent.delete(text);
  if (!known && recent.size >= maxOrigins) {
    const [oldest] = recent.keys();
    if (oldest !== undefined) recent.delete(oldest);
  }
  recent.set(text, at);
}
