import type { Topic } from '../service/topics.ts';
import type { Timer } from './timer.ts';

interface ChangeCollectorOptions {
  readonly timer: Timer;
  /** Called with everything that has changed since the last call. */
  readonly onChanges: (topics: ReadonlySet<Topic>) => void;
  /** False: nobody looks, so changes are kept until `resume`. */
  readonly isWatched: () => boolean;
}

const minGapMilliseconds = 1_000;
const maxGapMilliseconds = 8_000;

/**
 * Collects what events have changed, so that a storm of events does not become a storm of requests: the first change is passed on after a second. While
 * changes go on, the gap doubles up to eight seconds.
 */
export class ChangeCollector {
  readonly #options: ChangeCollectorOptions;
  readonly #changed = new Set<Topic>();
  #gap = minGapMilliseconds;
  #handle: unknown;

  constructor(options: ChangeCollectorOptions) {
    this.#options = options;
  }

  add(topics: readonly Topic[]): void {
    for (const topic of topics) this.#changed.add(topic);
    if (this.#handle === undefined && this.#changed.size > 0) this.#wait();
  }

  /** Passes on at once what was kept while nobody looked. */
  resume(): void {
    if (this.#changed.size === 0) return;
    this.stop();
    this.#pass();
  }

  stop(): void {
    this.#options.timer.clear(this.#handle);
    this.#handle = undefined;
  }

  #wait(): void {
    this.#handle = this.#options.timer.set(() => {
      this.#handle = undefined;
      this.#pass();
    }, this.#gap);
  }

  #pass(): void {
    if (!this.#options.isWatched()) return;
    if (this.#changed.size === 0) {
      this.#gap = minGapMilliseconds;
      return;
    }
    const changed = new Set(this.#changed);
    this.#changed.clear();
    this.#gap = Math.min(this.#gap * 2, maxGapMilliseconds);
    this.#options.onChanges(changed);
    this.#wait();
  }
}
