import type { AgentError, Client } from '@muster/client';
import { largestPageSize } from '@muster/contract';

interface Filter {
  readonly projectID: string;
  readonly agent_id?: string;
  readonly q?: string;
}

/**
 * Each look goes back this far before the newest known error. Replicas stamp errors with their own clocks and commit
 * them in any order, so an error can appear that is older than one already seen.
 */
const overlapMilliseconds = 10_000;

/** Finds the errors of a project that appeared since the last look. */
export class NewErrors {
  readonly #client: Client;
  readonly #filter: Filter;
  readonly #signal: AbortSignal;
  /** Creation time of the newest error seen; undefined before the first. */
  #newest: number | undefined;
  /** Errors seen within the overlap: id and creation time. */
  #seen = new Map<string, number>();

  constructor(client: Client, filter: Filter, signal: AbortSignal) {
    this.#client = client;
    this.#filter = filter;
    this.#signal = signal;
  }

  /** Marks the existing errors as seen and returns the newest `last` of them, oldest first. */
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

  /** Returns the errors that appeared since the last look, oldest first. */
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
