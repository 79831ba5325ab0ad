import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { causesTexts } from '../../texts/causes.ts';

const hourMilliseconds = 3_600_000;

const hours = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const;

interface MuteDialogProps {
  readonly isOpen: boolean;
  readonly onMute: (until: Date, reason: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks how long a cause is muted, and why. */
export function MuteDialog({ isOpen, onMute, onClose }: MuteDialogProps) {
  const [time, setTime] = useState<keyof typeof hours>('day');
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={causesTexts.muteTitle}
      confirm={causesTexts.muteConfirm}
      isDisabled={reason.trim() === ''}
      onConfirm={async () => {
        await onMute(new Date(Date.now() + hours[time] * hourMilliseconds), reason.trim());
        setReason('');
        showDone(causesTexts.muted);
      }}
      onClose={onClose}
    >
      <Text size="sm" mb="md">
        {causesTexts.muteText}
      </Text>
      <NativeSelect
        label={causesTexts.muteFor}
        value={time}
        onChange={({ currentTarget }) => setTime(currentTarget.value as keyof typeof hours)} // one of the options below
        data={Object.entries(causesTexts.muteTimes).map(([value, label]) => ({ value, label }))}
        mb="sm"
      />
      <TextInput
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
