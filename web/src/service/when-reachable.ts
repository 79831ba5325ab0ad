import { rootURL } from './root-url.ts';

interface Surroundings {
  /** Whether the service answers. */
  readonly isReachable: () => Promise<boolean>;
  /** Resolves after a while. */
  readonly pause: () => Promise<void>;
}

const pauseMilliseconds = 2_000;

const browser: Surroundings = {
  async isReachable() {
    try {
      const { status } = await fetch(new URL('docs/icon.svg', rootURL), {
        method: 'HEAD',
        cache: 'no-store',
      });
      // A proxy answers for a service that is away.
      return status < 500;
    } catch {
      return false;
    }
  },
  pause: () => new Promise((resolve) => window.setTimeout(resolve, pauseMilliseconds)),
};

/**
 * Loads a part of the dashboard, also if the service is away just now: then it goes on trying until the service is back. What is on the screen stays there meanwhile,
 * with the word that the connection is lost. A file that a service which answers does not have is a fault.
 */
export function whenReachable<Module>(
  load: () => Promise<Module>,
  { isReachable, pause }: Surroundings = browser,
): () => Promise<Module> {
  return async () => {
    for (;;) {
      try {
        return await load();
      } catch (error) {
        if (!isMissingFile(error)) throw error;
        // It may have come back between the two.
        if (await isReachable()) return load();
        await pause();
      }
    }
  };
}

/** True for a file of the dashboard that could not be fetched. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|module script/i.test(error.message);
}
