import { Text, TextInput } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { type MuteChoice, type MuteKind, muteOf, suggestChoice } from './mute-choice.ts';
import { MuteChoices } from './mute-choices.tsx';
import { useAgentsNow, useMuting } from './use-muting.ts';

interface MuteDialogProps {
  readonly projectID: string;
  /** What would be muted, but for those that are muted already. Undefined: the dialog is closed. */
  readonly causes: readonly AgentErrorGroup[] | undefined;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

/** Asks how long causes are muted, and why. */
export function MuteDialog({ projectID, causes, onClose, onDone }: MuteDialogProps) {
  const shown = causes?.filter(({ mutedUntil }) => mutedUntil === null) ?? [];
  const leftCount = (causes?.length ?? 0) - shown.length;
  const agentsNow = useAgentsNow(projectID, shown.length === 1 ? shown[0] : undefined);
  const [kind, setKind] = useState<MuteKind>('configuration');
  const [typed, setTyped] = useState<MuteChoice>();
  const [reason, setReason] = useState('');
  const { mute } = useMuting(projectID);
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
      isDisabled={reason.trim() === '' || asked === undefined || shown.length === 0}
      onConfirm={async () => {
        if (asked === undefined) return;
        await mute(
          shown.map(({ id }) => id),
          kind,
          asked,
        );
        onDone?.();
      }}
      onClose={close}
    >
      <Text size="sm" mb="md">
        {causesTexts.muteText} {leftCount > 0 && causesTexts.mutedAlready(leftCount)}
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
