import type { SiteCredentials } from '@muster/contract';
import type { SiteLog } from '../site-log.ts';
import type { CredentialList } from '../verdicts/credential-list.ts';
import { CentreFailure } from './centre-failure.ts';
import { SpacedRefresh } from './spaced-refresh.ts';

interface CredentialSyncOptions {
  readonly list: CredentialList;
  /** @throws CentreFailure (as a rejection) */
  readonly ask: (cursor: string | undefined) => Promise<SiteCredentials>;
  readonly log: SiteLog;
  /** Never steps back. */
  readonly monotonic: () => number;
  /** Resolves after some milliseconds, or when all is over. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Keeps the list of credentials as the centre has it. */
export class CredentialSync {
  readonly #options: CredentialSyncOptions;
  readonly #refresh: SpacedRefresh;

  constructor(options: CredentialSyncOptions) {
    this.#options = options;
    this.#refresh = new SpacedRefresh({ ...options, refresh: () => this.#sync() });
  }

  /**
   * Asks for what has changed, at most once a second: the caller waits for that, because what it asks for may be newer than the last answer. False if the
   * centre cannot be reached.
   */
  refresh(): Promise<boolean> {
    return this.#refresh.run();
  }

  async #sync(): Promise<boolean> {
    const { list, log } = this.#options;
    try {
      await this.#readAll();
    } catch (error) {
      if (error instanceof CentreFailure) return false;
      log.error('The list of credentials could not be read.', { err: error });
      return false;
    }
    await list.write().catch((error: unknown) => {
      log.warn('The list of credentials could not be written to the state folder.', { err: error });
    });
    return true;
  }

  async #readAll(): Promise<void> {
    const { list, ask } = this.#options;
    for (let isMore = true; isMore; ) {
      let page: SiteCredentials;
      try {
        page = await ask(list.cursor);
      } catch (error) {
        if (!(error instanceof CentreFailure && error.code === 'invalid_cursor' && list.cursor !== undefined))
          throw error;
        page = await ask(undefined);
        list.begin();
      }
      list.apply(page);
      isMore = page.more;
    }
  }
}
