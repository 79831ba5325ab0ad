import { Text, TextInput } from '@mantine/core';
import { revertRollout } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import fleetClasses from '../../fleets/detail/fleet-page.module.css';
import { VersionDiff } from '../../fleets/detail/version-diff.tsx';
import { fleetQuery } from '../../fleets/fleet-queries.ts';
import { fleetsKey } from '../../fleets/fleets-query.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { client } from '../../service/client.ts';
import { rolloutsTexts } from '../../texts/rollouts.ts';
import type { RolloutOfCause } from './put-back-of.ts';

interface RevertDialogProps {
  readonly projectID: string;
  readonly rollout: RolloutOfCause;
  readonly onClose: () => void;
}

/** Says who gets the version before and what changes for them, and leads to the rollout. */
export function RevertDialog({ projectID, rollout, onClose }: RevertDialogProps) {
  const { id: rolloutID, fleetID, from, to, agentsCount } = rollout;
  const { data: fleet } = useQuery(fleetQuery(projectID, fleetID));
  const [reason, setReason] = useState('');
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      isOpen
      size="lg"
      title={rolloutsTexts.putBackTitle(from.number, fleet?.name ?? fleetID)}
      confirm={rolloutsTexts.putBackConfirm}
      isDisabled={reason.trim() === ''}
      onConfirm={async () => {
        await revertRollout(client, { rolloutID, body: { reason: reason.trim() } });
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
        await navigate({
          to: '/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID',
          params: { projectID, fleetID, rolloutID },
        });
      }}
      onClose={onClose}
    >
      <Text size="sm" fw={600}>
        {rolloutsTexts.getItBack(agentsCount.offered, fleet?.name)}
      </Text>
      <div className={fleetClasses.dialogDiff}>
        <VersionDiff
          projectID={projectID}
          versionID={from.id}
          against={to.id}
          label={rolloutsTexts.whatChanges}
        />
      </div>
      <TextInput
        mt="md"
        label={rolloutsTexts.reason}
        description={rolloutsTexts.reasonText}
        value={reason}
        maxLength={1_000}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        required
        data-autofocus
      />
    </ConfirmDialog>
  );
}
