import { UntoldRefusal } from '../refusal.ts';

/** The limit on reports of one token, in this process. Exact: over any time, it accepts at most that many per second, and one second's worth at once. */
export class ReportRate {
  readonly tokenID: string;
  #perSecond: number;
  /** When the reports so far would have arrived at the rate of the limit, by the monotonic clock. */
  #dueUntil = Number.NEGATIVE_INFINITY;

  constructor(tokenID: string, perSecond: number) {
    this.tokenID = tokenID;
    this.#perSecond = perSecond;
  }

  set perSecond(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Milliseconds until further reports are accepted; 0: now. (The algorithm is GCRA, ITU-T I.371.) */
  waitAt(now: number): number {
    const early = 1_000 - 1_000 / this.#perSecond;
    return Math.max(0, this.#dueUntil - early - now);
  }

  /** Reports that come together are accepted together. What they exceed the limit by is waited for afterwards. */
  take(reports: number, now: number): void {
    this.#dueUntil = Math.max(this.#dueUntil, now) + (reports * 1_000) / this.#perSecond;
  }

  /** For reports that were taken and are passed on to where they are taken again. */
  giveBack(reports: number): void {
    this.#dueUntil -= (reports * 1_000) / this.#perSecond;
  }
}

/** Takes reports from the limits of a token and of those on which it depends. @throws Refusal too_many_reports_of_token */
export function takeReports(rates: readonly ReportRate[], reports: number, now: number): void {
  const wait = Math.max(...rates.map((rate) => rate.waitAt(now)));
  if (wait > 0) {
    throw new UntoldRefusal('too_many_reports_of_token', { retryAfterSeconds: Math.ceil(wait / 1_000) });
  }
  for (const rate of rates) rate.take(reports, now);
}

const maxRates = 10_000;

/** The limits on reports by token. They outlive the remembered credential, which every change of any credential may end. */
export class ReportRates {
  readonly #all = new Map<string, ReportRate>();

  of(tokenID: string, perSecond: number): ReportRate {
    const known = this.#all.get(tokenID);
    if (known !== undefined) {
      known.perSecond = perSecond;
      return known;
    }
    if (this.#all.size >= maxRates) this.#all.clear();
    const rate = new ReportRate(tokenID, perSecond);
    this.#all.set(tokenID, rate);
    return rate;
  }
}
