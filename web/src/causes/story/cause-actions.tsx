import { Button } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useArrival } from '../../app/use-arrival.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { showDone, showError } from '../../parts/toasts.tsx';
import { whenReachable } from '../../service/when-reachable.ts';
import { useMay } from '../../session/use-may.ts';
import { causesTexts } from '../../texts/causes.ts';
import { keysTexts } from '../../texts/keys.ts';
import { useMuting } from './use-muting.ts';

// The overview needs neither before somebody asks for it.
const MuteDialog = lazy(
  whenReachable(async () => ({ default: (await import('./mute-dialog.tsx')).MuteDialog })),
);
const AssignDialog = lazy(
  whenReachable(async () => ({ default: (await import('../notes/assign-dialog.tsx')).AssignDialog })),
);
const DismissDialog = lazy(
  whenReachable(async () => ({
    default: (await import('../../dismissals/dismiss-dialog.tsx')).DismissDialog,
  })),
);

interface CauseActionsProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

/** What can be done with one cause. */
export function CauseActions({ projectID, cause }: CauseActionsProps) {
  const [isDismissing, setIsDismissing] = useState(false);
  const [isMuting, setIsMuting] = useState(false);
  const [isAssigning, setIsAssigning] = useState(false);
  const [wasAsked, setWasAsked] = useState(false);
  if ((isDismissing || isMuting || isAssigning) && !wasAsked) setWasAsked(true);
  useArrival(
    'mute',
    useCallback(() => setIsMuting(true), []),
  );
  const { current, superseded } = cause.errorsByState;
  const canDismiss = current + superseded > 0;
  useArrival(
    'dismiss',
    useCallback(() => setIsDismissing(canDismiss), [canDismiss]),
  );
  const { unmute } = useMuting(projectID);
  const mayChange = useMay(projectID)('update:agent_error');
  const isMuted = cause.mutedUntil !== null;
  const keys = [
    { key: 'a', text: keysTexts.assignCause, run: () => setIsAssigning(true) },
    { key: 'm', text: keysTexts.mute, run: () => setIsMuting(!isMuted) },
    { key: 'd', text: keysTexts.dismissCause, run: () => setIsDismissing(canDismiss) },
  ];
  useKeys(mayChange ? keys : []);
  if (!mayChange) return null;
  return (
    <>
      <Button variant="default" onClick={() => setIsAssigning(true)}>
        {cause.assignee === null ? causesTexts.assign : <bdi>{cause.assignee.name}</bdi>}
      </Button>
      {isMuted ? (
        <Button
          variant="default"
          onClick={() => void unmute([cause.id]).then(() => showDone(causesTexts.unmuted), showError)}
        >
          {causesTexts.unmute}
        </Button>
      ) : (
        <Button variant="default" onClick={() => setIsMuting(true)}>
          {causesTexts.mute}
        </Button>
      )}
      <Button variant="default" onClick={() => setIsDismissing(true)} disabled={!canDismiss}>
        {causesTexts.dismissSelected}
      </Button>
      {wasAsked && (
        <Suspense>
          <AssignDialog
            projectID={projectID}
            causes={isAssigning ? [cause] : undefined}
            onClose={() => setIsAssigning(false)}
          />
          <MuteDialog
            projectID={projectID}
            causes={isMuting ? [cause] : undefined}
            onClose={() => setIsMuting(false)}
          />
          <DismissDialog
            projectID={projectID}
            filter={isDismissing ? { groupID: cause.id } : undefined}
            causes={[cause]}
            onClose={() => setIsDismissing(false)}
            onDone={() => undefined}
          />
        </Suspense>
      )}
    </>
  );
}
