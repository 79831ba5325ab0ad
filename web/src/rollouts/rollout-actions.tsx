import { Button, Text, TextInput } from '@mantine/core';
import {
  pauseRollout,
  promoteRollout,
  type Rollout,
  resumeRollout,
  revertRollout,
  stopRollout,
} from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fleetsKey } from '../fleets/fleet-queries.ts';
import { useKeys } from '../keys/use-keys.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { client } from '../service/client.ts';
import { useMay } from '../session/use-may.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { isOpen } from './rollout-progress.ts';

const calls = {
  pause: pauseRollout,
  resume: resumeRollout,
  promote: promoteRollout,
  stop: stopRollout,
  revert: revertRollout,
} as const;
type Act = keyof typeof calls;

/** What can be done with a rollout that goes on. Each needs a reason. `S` stops it and goes back. */
export function RolloutActions({ rollout }: { readonly rollout: Rollout }) {
  const [asked, setAsked] = useState<Act>();
  const may = useMay(rollout.projectID)('update:fleet');
  const canAct = may && isOpen(rollout);
  useKeys(canAct ? [{ key: 's', text: rolloutsTexts.acts.revert.title, run: () => setAsked('revert') }] : []);
  if (!canAct) return null;
  const isPaused = rollout.state === 'paused';
  return (
    <>
      <Button variant="default" onClick={() => setAsked(isPaused ? 'resume' : 'pause')}>
        {isPaused ? rolloutsTexts.resume : rolloutsTexts.pause}
      </Button>
      <Button variant="default" onClick={() => setAsked('promote')}>
        {rolloutsTexts.promote}
      </Button>
      <Button variant="default" onClick={() => setAsked('stop')}>
        {rolloutsTexts.stop}
      </Button>
      <Button variant="default" c="var(--muster-bad)" onClick={() => setAsked('revert')}>
        {rolloutsTexts.revert}
      </Button>
      {asked !== undefined && <ActDialog rollout={rollout} act={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface ActDialogProps {
  readonly rollout: Rollout;
  readonly act: Act;
  readonly onClose: () => void;
}

function ActDialog({ rollout: { id: rolloutID, projectID }, act, onClose }: ActDialogProps) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const { title, text, confirm } = rolloutsTexts.acts[act];
  return (
    <ConfirmDialog
      isOpen
      title={title}
      confirm={confirm}
      isDangerous={act === 'revert'}
      isDisabled={reason.trim() === ''}
      onConfirm={async () => {
        await calls[act](client, { rolloutID, body: { reason: reason.trim() } });
        await queries.invalidateQueries({ queryKey: fleetsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Text size="sm" mb="md">
        {text}
      </Text>
      <TextInput
        label={rolloutsTexts.reason}
        description={rolloutsTexts.reasonText}
        value={reason}
        maxLength={1_000}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
