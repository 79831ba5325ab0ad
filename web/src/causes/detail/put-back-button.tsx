import { Button, type ButtonProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
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

interface PutBackButtonProps extends Pick<ButtonProps, 'size' | 'variant'> {
  readonly projectID: string;
  readonly putBack: PutBack;
}

/** Gives the version before to the agents again: at once if its rollout can be reverted, otherwise in stages. Nothing for users who may not. */
export function PutBackButton({ projectID, putBack, ...look }: PutBackButtonProps) {
  const [isAsked, setIsAsked] = useState(false);
  const mayChange = useMay(projectID)('update:fleet');
  const close = () => setIsAsked(false);
  if (!mayChange) return null;
  return (
    <>
      <Button {...look} onClick={() => setIsAsked(true)}>
        {rolloutsTexts.putBack(putBack.number)}
      </Button>
      {isAsked && (
        <Suspense>
          {putBack.kind === 'deploy' ? (
            <Deploy projectID={projectID} putBack={putBack} onClose={close} />
          ) : (
            <RevertDialog projectID={projectID} rollout={putBack.rollout} onClose={close} />
          )}
        </Suspense>
      )}
    </>
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
