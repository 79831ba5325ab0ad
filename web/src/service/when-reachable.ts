import { rootURL } from './root-url.ts';

interface Surroundings {
  /** Whether the service answers. */
  readonly isReachable: () => Promise<boolean>;
  /** Resolves after a while. */
  readonly pause: () => Promise<void>;
  /** Fetches styles that were missing: what loads parts asks for each only once. */
  readonly loadStyle: (address: string) => Promise<void>;
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
  loadStyle: (address) =>
    new Promise((resolve, reject) => {
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = address;
      link.onload = () => resolve();
      link.onerror = () => reject(new TypeError(`error loading module script: ${address}`));
      document.head.append(link);
    }),
};

/**
 * Loads a part of the dashboard. While the service is away, it tries again until the service is back. Meanwhile the screen stays as it is,
 * and says that the connection is lost. If the service answers but does not have the file, it throws.
 */
export function whenReachable<Module>(
  load: () => Promise<Module>,
  { isReachable, pause, loadStyle }: Surroundings = browser,
): () => Promise<Module> {
  return async () => {
    const missing = new Set<string>();
    let isLastTry = false;
    for (;;) {
      try {
        const part = await load();
        await Promise.all([...missing].map(loadStyle));
        return part;
      } catch (error) {
        if (isLastTry || !isMissingFile(error)) throw error;
        const style = styleOf(error);
        if (style !== undefined) missing.add(style);
        // It may have come back between the two.
        isLastTry = await isReachable();
        if (!isLastTry) await pause();
      }
    }
  };
}

const missingStyle = /Unable to preload CSS for (\S+)/;

/** True for a file of the dashboard that could not be fetched. */
export function isMissingFile(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return missingStyle.test(error.message) || /dynamically imported module|module script/i.test(error.message);
}

function styleOf(error: unknown): string | undefined {
  return error instanceof Error ? missingStyle.exec(error.message)?.[1] : undefined;
}
