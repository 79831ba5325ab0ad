import type { Timer } from './timer.ts';

interface WhileWatchedOptions {
  readonly timer: Timer;
  readonly isWatched: () => boolean;
  readonly start: () => void;
  readonly stop: () => void;
}

const maxUnwatchedMilliseconds = 10_000;

/**
 * Runs something while the tab is looked at. A browser opens six connections to a server at the same time, so without this the streams of six forgotten tabs
 * would keep the seventh from showing anything. Looking away for a moment stops nothing.
 */
export class WhileWatched {
  readonly #options: WhileWatchedOptions;
  #handle: unknown;

  constructor(options: WhileWatchedOptions) {
    this.#options = options;
  }

  /** Call it at first, and whenever the tab is shown or hidden. */
  readonly update = (): void => {
    const { timer, isWatched, start, stop } = this.#options;
    timer.clear(this.#handle);
    if (isWatched()) start();
    else this.#handle = timer.set(stop, maxUnwatchedMilliseconds);
  };

  end(): void {
    this.#options.timer.clear(this.#handle);
    this.#options.stop();
  }
}
