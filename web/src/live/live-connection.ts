import { type Client, type ProjectEvent, watchEvents } from '@muster/client';

/** `opening`: not connected yet. `cut`: the connection broke, and is being opened again. `refused`: the service gives no stream. */
export type LiveState = 'opening' | 'open' | 'cut' | 'refused';

interface LiveConnectionOptions {
  readonly client: Client;
  readonly projectID: string;
  readonly now: () => number;
  /** Called when a stream is open that begins now: what happened before is not among its events. */
  readonly onBegin: () => void;
  /** Called when the stream is open again after it broke. The session may be another one now. */
  readonly onReturn: () => void;
  readonly onEvent: (event: ProjectEvent) => void;
  readonly onRefusal: (error: unknown) => void;
}

const maxDelayMilliseconds = 5_000;

/** The stream of events of a project, which is opened again whenever it breaks and then misses nothing. */
export class LiveConnection {
  readonly #options: LiveConnectionOptions;
  readonly #listeners = new Set<() => void>();
  #stopping: AbortController | undefined;
  #state: LiveState = 'opening';
  #currentAt: number;

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
    this.#currentAt = options.now();
  }

  readonly state = (): LiveState => this.#state;

  /** When it was last known to miss nothing, if it is not open now. */
  readonly currentAt = (): number => this.#currentAt;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Does nothing while it is open, being opened, or refused. */
  start(): void {
    if (this.#stopping !== undefined) return;
    this.#stopping = new AbortController();
    void this.#run(this.#stopping.signal);
  }

  stop(): void {
    if (this.#state === 'refused') return;
    this.#stopping?.abort();
    this.#stopping = undefined;
    this.#become('opening');
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { client, projectID, onBegin, onReturn, onEvent, onRefusal } = this.#options;
    let hasBegun = false;
    const onOpen = () => {
      this.#become('open');
      if (hasBegun) onReturn();
      else onBegin();
      hasBegun = true;
    };
    const onRetry = () => this.#become('cut');
    try {
      const retry = { maxDelayMilliseconds, onRetry };
      for await (const { data } of watchEvents(client, { projectID, onOpen }, { signal, retry }))
        onEvent(data);
    } catch (error) {
      if (signal.aborted) return;
      this.#become('refused');
      onRefusal(error);
    }
  }

  #become(state: LiveState): void {
    if (this.#state === state) return;
    if (this.#state === 'open') this.#currentAt = this.#options.now();
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
