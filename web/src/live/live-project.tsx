import { type Query, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { client } from '../service/client.ts';
import { isSessionEnd, projectKey } from '../service/query-client.ts';
import { eventPermissions, type Topic, topicsAtBegin, topicsOf } from '../service/topics.ts';
import type { SessionEnd } from '../session/session-end.ts';
import { meQuery } from '../session/session-queries.ts';
import { useMay } from '../session/use-may.ts';
import { ChangeCollector } from './change-collector.ts';
import { LiveConnection, type LiveState } from './live-connection.ts';
import type { Timer } from './timer.ts';
import { WhileWatched } from './while-watched.ts';

interface LiveProjectProps {
  /** Undefined: none is shown. */
  readonly projectID: string | undefined;
  readonly sessionEnd: SessionEnd;
  readonly children: ReactNode;
}

interface Listening {
  readonly connection: LiveConnection;
  readonly hold: () => () => void;
}

const LiveContext = createContext<Listening | undefined>(undefined);

const timer: Timer = {
  set: (run, milliseconds) => window.setTimeout(run, milliseconds),
  clear: (handle) => window.clearTimeout(handle as number | undefined), // what set has returned
};

/** Keeps what is shown of a project current: one stream for the tab, which makes the queries that an event concerns read again. */
export function LiveProject({ projectID, sessionEnd, children }: LiveProjectProps) {
  const queries = useQueryClient();
  const may = useMay(projectID ?? '');
  const mayListen = eventPermissions.some(may);
  const [listening, setListening] = useState<Listening>();

  useEffect(() => {
    if (projectID === undefined || !mayListen) return undefined;
    let isHeld = false;
    const isWatched = () => !isHeld && !document.hidden;
    const collector = new ChangeCollector({
      timer,
      isWatched,
      onChanges: (changed) =>
        void queries.invalidateQueries({ predicate: (query) => concerns(query, projectID, changed) }),
    });
    const readUserAgain = () => void queries.invalidateQueries({ queryKey: meQuery.queryKey });
    const live = new LiveConnection({
      client,
      projectID,
      now: Date.now,
      onBegin: () => collector.add(topicsAtBegin),
      onReturn: readUserAgain,
      onEvent: (event) => collector.add(topicsOf(event)),
      onRefusal: (error) => {
        if (isSessionEnd(error)) sessionEnd.note();
        else readUserAgain();
      },
    });
    const whileWatched = new WhileWatched({
      timer,
      isWatched,
      start: () => live.start(),
      stop: () => live.stop(),
    });
    const onVisibility = () => {
      whileWatched.update();
      if (isWatched()) collector.resume();
    };
    document.addEventListener('visibilitychange', onVisibility);
    const hold = () => {
      isHeld = true;
      live.stop();
      return () => {
        isHeld = false;
        onVisibility();
      };
    };
    setListening({ connection: live, hold });
    whileWatched.update();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      whileWatched.end();
      collector.stop();
      setListening(undefined);
    };
  }, [projectID, queries, sessionEnd, mayListen]);

  return <LiveContext value={listening}>{children}</LiveContext>;
}

/** Queries of other projects are not concerned; those of no project, such as the list of projects, are. */
function concerns({ queryKey, meta }: Query, projectID: string, changed: ReadonlySet<Topic>): boolean {
  const [kind, id] = projectKey(projectID);
  if (queryKey[0] === kind && queryKey[1] !== id) return false;
  return meta?.topics?.some((topic) => changed.has(topic)) ?? false;
}

interface Live {
  /** Undefined: no project is shown, or the user may not listen to it. */
  readonly state: LiveState | undefined;
  /** ISO 8601. Until then, the screens were current, unless they are now. */
  readonly currentAt: string;
}

/** Whether the screens are current. */
export function useLive(): Live {
  const connection = useContext(LiveContext)?.connection;
  const state = useSyncExternalStore(connection?.subscribe ?? noSubscription, connection?.state ?? none);
  return { state, currentAt: new Date(connection?.currentAt() ?? 0).toISOString() };
}

/**
 * What stops reading the shown project again, and returns what goes on with it. For a user who deletes it: it is gone before its screens are, and they would
 * read what nobody can find.
 */
export function useHoldLive(): () => () => void {
  return useContext(LiveContext)?.hold ?? noHold;
}

const noHold = () => () => undefined;
const noSubscription = () => () => undefined;
const none = () => undefined;
