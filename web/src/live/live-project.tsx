import { type Query, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { client } from '../service/client.ts';
import { isSessionEnd, projectKey } from '../service/query-client.ts';
import type { Topic } from '../service/topics.ts';
import { topicsOf } from '../service/topics.ts';
import type { SessionEnd } from '../session/session-end.ts';
import { ChangeCollector } from './change-collector.ts';
import { LiveConnection, type LiveState } from './live-connection.ts';

interface LiveProjectProps {
  readonly projectID: string;
  readonly sessionEnd: SessionEnd;
  readonly children: ReactNode;
}

const LiveContext = createContext<LiveConnection | undefined>(undefined);

/** Keeps what is shown of a project current: one stream for the tab, which makes the queries that an event concerns read again. */
export function LiveProject({ projectID, sessionEnd, children }: LiveProjectProps) {
  const queries = useQueryClient();
  const [connection, setConnection] = useState<LiveConnection>();

  useEffect(() => {
    const collector = new ChangeCollector({
      timer: {
        set: (run, milliseconds) => window.setTimeout(run, milliseconds),
        clear: (handle) => window.clearTimeout(handle as number | undefined), // what set has returned
      },
      isWatched: () => !document.hidden,
      onChanges: (changed) =>
        void queries.invalidateQueries({ predicate: (query) => concerns(query, projectID, changed) }),
    });
    const live = new LiveConnection({
      client,
      projectID,
      onEvent: (event) => collector.add(topicsOf(event)),
      onRefusal: (error) => {
        if (isSessionEnd(error)) sessionEnd.note();
      },
    });
    const onVisible = () => {
      if (!document.hidden) collector.resume();
    };
    document.addEventListener('visibilitychange', onVisible);
    setConnection(live);
    void live.run();
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      live.stop();
      collector.stop();
    };
  }, [projectID, queries, sessionEnd]);

  return <LiveContext value={connection}>{children}</LiveContext>;
}

function concerns({ queryKey, meta }: Query, projectID: string, changed: ReadonlySet<Topic>): boolean {
  const [kind, id] = projectKey(projectID);
  if (queryKey[0] !== kind || queryKey[1] !== id) return false;
  return meta?.topics?.some((topic) => changed.has(topic)) ?? false;
}

/** Whether the screens are current. */
export function useLiveState(): LiveState {
  const connection = useContext(LiveContext);
  return useSyncExternalStore(connection?.subscribe ?? noSubscription, connection?.state ?? opening);
}

const noSubscription = () => () => undefined;
const opening = () => 'opening' as const;
