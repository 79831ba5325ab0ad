import { Text, TextInput } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showUndoable } from '../../parts/toasts.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { type MuteChoice, type MuteKind, muteOf, suggestChoice } from './mute-choice.ts';
import { MuteChoices } from './mute-choices.tsx';
import { useAgentsNow, useMuting } from './use-muting.ts';

interface MuteDialogProps {
  readonly projectID: string;
  /** What would be muted. Undefined: the dialog is closed. */
  readonly causes: readonly AgentErrorGroup[] | undefined;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

/** Asks how long causes are muted, and why. */
export function MuteDialog({ projectID, causes, onClose, onDone }: MuteDialogProps) {
  const shown = causes ?? [];
  const agentsNow = useAgentsNow(projectID, shown.length === 1 ? shown[0] : undefined);
  const [kind, setKind] = useState<MuteKind>('configuration');
  const [typed, setTyped] = useState<MuteChoice>();
  const [reason, setReason] = useState('');
  const { mute, unmute } = useMuting(projectID);
  const choice = typed ?? suggestChoice('day', agentsNow);
  const asked = muteOf({ ...choice, kind }, { now: Date.now(), agentsNow, reason: reason.trim() });
  const close = () => {
    setReason('');
    setTyped(undefined);
    setKind('configuration');
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={causes !== undefined}
      title={causesTexts.muteTitle(shown.length)}
      confirm={causesTexts.muteConfirms[kind]}
      isDisabled={reason.trim() === '' || asked === undefined}
      onConfirm={async () => {
        if (asked === undefined) return;
        const ids = shown.map(({ id }) => id);
        await mute(ids, asked);
        onDone?.();
        showUndoable(causesTexts.mutedDone(kind, ids.length), () => unmute(ids));
      }}
      onClose={close}
    >
      <Text size="sm" mb="md">
        {causesTexts.muteText}
      </Text>
      <MuteChoices
        chosen={kind}
        choice={choice}
        onChoose={(chosen) => {
          if (chosen !== 'dismiss') setKind(chosen);
        }}
        onChange={setTyped}
        isOne={shown.length === 1}
      />
      <TextInput
        mt="sm"
        label={causesTexts.reason}
        placeholder={causesTexts.muteExample}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
    </ConfirmDialog>
  );
}
