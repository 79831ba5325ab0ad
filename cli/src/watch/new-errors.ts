import type { AgentError, Client } from '@muster/client';
import { largestPageSize } from '@muster/contract';

interface Filter {
  readonly projectID: string;
  readonly agent_id?: string;
  readonly q?: string;
}

/**
 * How far before the newest one is looked again: replicas stamp errors with their own clocks and commit them in
 * their own order, so that one can appear that is older than another which was seen.
 */
const overlapMilliseconds = 10_000;

/** The errors of a project that were not there at the last look. */
export class NewErrors {
  readonly #client: Client;
  readonly #filter: Filter;
  readonly #signal: AbortSignal;
  /** Creation of the newest that was seen; undefined while there is none. */
  #newest: number | undefined;
  /** Those seen in the time that is looked at again: id and creation. */
  #seen = new Map<string, number>();

  constructor(client: Client, filter: Filter, signal: AbortSignal) {
    this.#client = client;
    this.#filter = filter;
    this.#signal = signal;
  }

  /** Takes those that there are for seen, and answers the newest so many of them, oldest first. */
  async begin(last: number): Promise<readonly AgentError[]> {
    const { listProjectErrors } = await import('@muster/client');
    const found: AgentError[] = [];
    let until: number | undefined;
    const query = { ...this.#filter, last: largestPageSize };
    for await (const error of listProjectErrors(this.#client, query, { signal: this.#signal })) {
      const createdAt = Date.parse(error.createdAt);
      until ??= createdAt - overlapMilliseconds;
      if (found.length < last) found.push(error);
      else if (createdAt < until) break;
      this.#remember(error);
    }
    this.#forgetOld();
    return found.reverse();
  }

  /** Those that have come since, oldest first. */
  async next(): Promise<readonly AgentError[]> {
    const { listProjectErrors } = await import('@muster/client');
    const since =
      this.#newest === undefined ? {} : { since: new Date(this.#newest - overlapMilliseconds).toISOString() };
    const query = { ...this.#filter, ...since, last: largestPageSize };
    const found: AgentError[] = [];
    for await (const error of listProjectErrors(this.#client, query, { signal: this.#signal })) {
      if (!this.#seen.has(error.id)) found.push(error);
    }
    for (const error of found) this.#remember(error);
    this.#forgetOld();
    return found.reverse();
  }

  #remember({ id, createdAt }: AgentError): void {
    const at = Date.parse(createdAt);
    this.#seen.set(id, at);
    if (this.#newest === undefined || at > this.#newest) this.#newest = at;
  }

  #forgetOld(): void {
    const oldest = (this.#newest ?? 0) - overlapMilliseconds;
    for (const [id, at] of this.#seen) if (at < oldest) this.#seen.delete(id);
  }
}
