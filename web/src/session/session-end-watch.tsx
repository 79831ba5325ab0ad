import { lazy, Suspense, useSyncExternalStore } from 'react';
import { whenReachable } from '../service/when-reachable.ts';
import type { SessionEnd } from './session-end.ts';

const SessionEndDialog = lazy(whenReachable(() => import('./session-end-dialog.tsx')));

/** Shows the dialog when the session has ended. */
export function SessionEndWatch({ sessionEnd }: { readonly sessionEnd: SessionEnd }) {
  const hasEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.hasEnded);
  if (!hasEnded) return null;
  return (
    <Suspense>
      <SessionEndDialog />
    </Suspense>
  );
}
