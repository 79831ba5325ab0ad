import { foldError } from '@muster/faults';
import {
  type LimitName,
  minuteMilliseconds,
  type NewErrorLimits,
  secondMilliseconds,
  shareOfCause,
} from '@muster/http/limits/new-error-limits';
import { RecentTimes } from '@muster/http/limits/recent-times';

type Limits = Pick<NewErrorLimits, 'newPerAgentPerMinute' | 'newPerProjectPerSecond'>;

interface CountedError {
  readonly at: number;
  /** Undefined: it was not needed yet. */
  cause: string | undefined;
}

/** The new errors of one agent within a minute, by their text, the oldest first. */
type CountedErrors = Map<string, CountedError>;

const maxBytes = 8 * 1024 * 1024;
const bytesBesideText = 160;

/**
 * Counts new errors, so that a site refuses what exceeds the limits of the centre. A text counts once within a minute.
 *
 * Memory is bounded: with very many agents that report new errors at the same time, those of which nothing was heard for longest are forgotten, and
 * may then report more.
 */
export class NewErrors {
  /** In the order of their last new error. */
  readonly #agents = new Map<string, CountedErrors>();
  #ofProject = new RecentTimes();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts a new error, unless a limit refuses it, which is returned. The limits are checked in the order of the centre.
   *
   * @param now milliseconds of a clock that never steps back
   */
  take(agent: string, text: string, { newPerAgentPerMinute, newPerProjectPerSecond }: Limits, now: number) {
    if (newPerAgentPerMinute === 0 && newPerProjectPerSecond === 0) return undefined;
    this.#dropIdle(now);
    const errors: CountedErrors = this.#agents.get(agent) ?? new Map();
    this.#dropOld(errors, now);
    if (errors.has(text)) return undefined;
    const limit = this.#reachedLimit(errors, text, { newPerAgentPerMinute, newPerProjectPerSecond }, now);
    if (limit !== undefined) return limit;
    errors.set(text, { at: now, cause: undefined });
    this.#bytes += bytesOf(text);
    this.#agents.delete(agent);
    this.#agents.set(agent, errors);
    if (newPerProjectPerSecond > 0) this.#ofProject.add(now);
    this.#makeRoom(agent);
    return undefined;
  }

  #reachedLimit(
    errors: CountedErrors,
    text: string,
    { newPerAgentPerMinute, newPerProjectPerSecond }: Limits,
    now: number,
  ): LimitName | undefined {
    if (newPerAgentPerMinute > 0 && errors.size >= newPerAgentPerMinute) return 'newPerAgentPerMinute';
    const ofProject =
      newPerProjectPerSecond > 0 && this.#ofProject.count(now - secondMilliseconds + 1, now + 1);
    if (ofProject !== false && ofProject >= newPerProjectPerSecond) return 'newPerProjectPerSecond';
    const ofCause = shareOfCause(newPerAgentPerMinute);
    // The cause takes longer to find than all else here, and cannot matter before.
    if (ofCause === 0 || errors.size < ofCause) return undefined;
    const cause = foldError(text);
    let count = 0;
    for (const [counted, error] of errors) {
      error.cause ??= foldError(counted);
      if (error.cause === cause) count += 1;
    }
    return count >= ofCause ? 'newOfCausePerMinute' : undefined;
  }

  #dropOld(errors: CountedErrors, now: number): void {
    for (const [text, { at }] of errors) {
      if (now - at < minuteMilliseconds) return;
      errors.delete(text);
      this.#bytes -= bytesOf(text);
    }
  }

  #dropIdle(now: number): void {
    const [oldest] = this.#agents;
    if (oldest === undefined) return;
    const [agent, errors] = oldest;
    this.#dropOld(errors, now);
    if (errors.size === 0) this.#agents.delete(agent);
  }

  #makeRoom(current: string): void {
    for (const [agent, errors] of this.#agents) {
      if (this.#bytes <= maxBytes || agent === current) return;
      for (const text of errors.keys()) this.#bytes -= bytesOf(text);
      this.#agents.delete(agent);
    }
  }
}

function bytesOf(text: string): number {
  return bytesBesideText + text.length;
}
