import { type Client, type ProjectEvent, watchEvents } from '@muster/client';

/** `opening`: not connected yet. `cut`: the connection broke, and is being opened again. `refused`: the service gives no stream. */
export type LiveState = 'opening' | 'open' | 'cut' | 'refused';

interface LiveConnectionOptions {
  readonly client: Client;
  readonly projectID: string;
  readonly onEvent: (event: ProjectEvent) => void;
  readonly onRefusal: (error: unknown) => void;
}

const maxDelayMilliseconds = 5_000;

/** The stream of events of a project, which is opened again whenever it breaks and misses nothing. */
export class LiveConnection {
  readonly #options: LiveConnectionOptions;
  readonly #listeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  #state: LiveState = 'opening';

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
  }

  readonly state = (): LiveState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  async run(): Promise<void> {
    const { client, projectID, onEvent, onRefusal } = this.#options;
    const { signal } = this.#stopping;
    try {
      const onOpen = () => this.#become('open');
      const onRetry = () => this.#become('cut');
      const retry = { maxDelayMilliseconds, onRetry };
      for await (const { data } of watchEvents(client, { projectID, onOpen }, { signal, retry }))
        onEvent(data);
    } catch (error) {
      if (signal.aborted) return;
      this.#become('refused');
      onRefusal(error);
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  #become(state: LiveState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
