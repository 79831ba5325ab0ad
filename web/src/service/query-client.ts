import { MusterError } from '@muster/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { Topic } from './topics.ts';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Events about these make the query read again. The key of what belongs to a project begins with `projectKey`. */
      readonly topics?: readonly Topic[];
    };
  }
}

/**
 * How often something is read again whose times change without an event, such as when an agent was last heard. Without it, the age of a living agent would
 * grow beside its status for as long as nothing else happens. It is the time between the heartbeats of an agent.
 */
export const rereadMilliseconds = 30_000;

/** The beginning of the key of everything that is read of a project. */
export function projectKey(projectID: string) {
  return ['projects', projectID] as const;
}

/**
 * The one place where data of the service is kept.
 *
 * @param onSessionEnd called whenever the service no longer knows the session
 * @param onDenied called whenever the service refuses what the user was allowed to do, as far as the screens know
 */
export function createQueryClient(onSessionEnd: () => void, onDenied: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isSessionEnd(error)) onSessionEnd();
    else if (error instanceof MusterError && error.status === 403) onDenied();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The SDK repeats what may be repeated. Screens that are not told by events are read again when they are opened.
      queries: { retry: false, staleTime: 10_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** True if the caller must sign in again. */
export function isSessionEnd(error: unknown): boolean {
  return error instanceof MusterError && error.status === 401;
}
