import { Stack } from '@mantine/core';
import { type AlertChannel, updateAlertChannel } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { alertsKey } from '../alert-queries.ts';
import { ChannelFields } from './channel-fields.tsx';
import { inputOf, labelsOfFields, ownTimeZone, updateBody } from './channel-input.ts';

interface ChannelDialogProps {
  readonly projectID: string;
  readonly channel: AlertChannel;
  readonly onClose: () => void;
}

/** Make a new one for each channel: it begins with the values of the channel, and what was typed goes with it. */
export function ChannelDialog({ projectID, channel, onClose }: ChannelDialogProps) {
  const queries = useQueryClient();
  const [input, setInput] = useState(() => inputOf(channel, ownTimeZone()));
  const body = updateBody(input);
  return (
    <ConfirmDialog
      isOpen
      title={alertsTexts.changeOf(channel.name)}
      confirm={alertsTexts.save}
      isDisabled={body === undefined}
      fieldLabels={labelsOfFields}
      onConfirm={async () => {
        if (body === undefined) return;
        await updateAlertChannel(client, { alertChannelID: channel.id, body });
        showDone(alertsTexts.saved);
        await queries.invalidateQueries({ queryKey: alertsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChannelFields input={input} isNew={false} onChange={setInput} />
      </Stack>
    </ConfirmDialog>
  );
}
