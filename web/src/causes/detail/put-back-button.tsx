import { Button, type ButtonProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { fleetQuery, fleetVersionQuery } from '../../fleets/fleet-queries.ts';
import { whenReachable } from '../../service/when-reachable.ts';
import { useMay } from '../../session/use-may.ts';
import { rolloutsTexts } from '../../texts/rollouts.ts';
import type { PutBack } from './put-back-of.ts';

const DeployDialog = lazy(
  whenReachable(async () => ({ default: (await import('../../rollouts/deploy-dialog.tsx')).DeployDialog })),
);
const RevertDialog = lazy(
  whenReachable(async () => ({ default: (await import('./revert-dialog.tsx')).RevertDialog })),
);

interface PutBackButtonProps extends Pick<ButtonProps, 'size'> {
  readonly projectID: string;
  readonly putBack: PutBack;
  /** Where not all that is said is of the fleet. */
  readonly fleetName?: string;
  readonly onAsk: (putBack: PutBack) => void;
}

/** Asks to give the version before to the agents of the fleet again. Nothing for users who may not. */
export function PutBackButton({ projectID, putBack, fleetName, onAsk, ...look }: PutBackButtonProps) {
  const mayChange = useMay(projectID)('update:fleet');
  if (!mayChange) return null;
  return (
    <Button {...look} onClick={() => onAsk(putBack)}>
      {rolloutsTexts.putBack(putBack.number, fleetName)}
    </Button>
  );
}

interface PutBackDialogProps {
  readonly projectID: string;
  /** What was asked for. Undefined: nothing. */
  readonly asked: PutBack | undefined;
  readonly onClose: () => void;
}

/**
 * Gives the version before to the agents again: at once if its rollout can be reverted, otherwise in stages. It stands where it stays
 * when its button goes, because what the button offers may be gone when the data are read again.
 */
export function PutBackDialog({ projectID, asked, onClose }: PutBackDialogProps) {
  if (asked === undefined) return null;
  return (
    <Suspense>
      {asked.kind === 'deploy' ? (
        <Deploy projectID={projectID} putBack={asked} onClose={onClose} />
      ) : (
        <RevertDialog projectID={projectID} rollout={asked.rollout} onClose={onClose} />
      )}
    </Suspense>
  );
}

interface DeployProps {
  readonly projectID: string;
  readonly putBack: Extract<PutBack, { kind: 'deploy' }>;
  readonly onClose: () => void;
}

function Deploy({ projectID, putBack: { fleetID, versionID }, onClose }: DeployProps) {
  const { data: fleet } = useQuery(fleetQuery(projectID, fleetID));
  const { data: version } = useQuery(fleetVersionQuery(projectID, versionID));
  if (fleet === undefined || version === undefined) return null;
  return <DeployDialog fleet={fleet} version={version} onClose={onClose} />;
}
