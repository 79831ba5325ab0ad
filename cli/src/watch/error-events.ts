import type { Client } from '@muster/client';

/**
 * Tells when errors of a project were created, so that a watch need not ask all the time. Where the service has no events, or
 * refuses them, nothing is told, and the watch asks as often as without them.
 */
export class ErrorEvents {
  readonly #signal: AbortSignal;
  #isProven = false;
  #hasNews = false;
  #wake: () => void = () => undefined;

  constructor(client: Client, projectID: string, signal: AbortSignal) {
    this.#signal = signal;
    void this.#follow(client, projectID);
  }

  /** Waits for the next event. Without one: for the interval, or for ten of them once the stream has brought an event. */
  async next(intervalMilliseconds: number): Promise<void> {
    const milliseconds = intervalMilliseconds * (this.#isProven ? 10 : 1);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#signal.addEventListener('abort', end);
      this.#wake = end;
      if (this.#hasNews || this.#signal.aborted) end();
    });
    this.#hasNews = false;
  }

  async #follow(client: Client, projectID: string): Promise<void> {
    const types = ['agent_error.created'];
    const onRetry = (): void => this.#note(false);
    try {
      const { watchEvents } = await import('@muster/client');
      const events = watchEvents(client, { projectID, types }, { signal: this.#signal, retry: { onRetry } });
      for await (const _ of events) this.#note(true);
    } catch {
      // The next request meets the same failure, and explains it.
      this.#note(false);
    }
  }

  #note(isProven: boolean): void {
    this.#isProven = isProven;
    this.#hasNews = true;
    this.#wake();
  }
}
