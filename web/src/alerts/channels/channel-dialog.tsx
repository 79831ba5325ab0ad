import { Stack } from '@mantine/core';
import { type AlertChannel, createAlertChannel, updateAlertChannel } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { alertsKey } from '../alert-queries.ts';
import { ChannelFields } from './channel-fields.tsx';
import { createBody, inputOf, updateBody } from './channel-input.ts';

interface ChannelDialogProps {
  readonly projectID: string;
  /** The channel to change; `new`: create one. */
  readonly channel: AlertChannel | 'new';
  /** Gets the secret of a new webhook, which no other answer contains. */
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

/** Make a new one for each channel: it begins with the values of the channel, and what was typed goes with it. */
export function ChannelDialog({ projectID, channel, onSecret, onClose }: ChannelDialogProps) {
  const queries = useQueryClient();
  const known = channel === 'new' ? undefined : channel;
  const [input, setInput] = useState(() => inputOf(known, Intl.DateTimeFormat().resolvedOptions().timeZone));
  const created = createBody(input);
  const changed = updateBody(input);
  return (
    <ConfirmDialog
      isOpen
      title={known === undefined ? alertsTexts.createChannel : alertsTexts.changeOf(known.name)}
      confirm={known === undefined ? alertsTexts.createChannel : alertsTexts.save}
      isDisabled={(known === undefined ? created : changed) === undefined}
      onConfirm={async () => {
        if (known !== undefined && changed !== undefined) {
          await updateAlertChannel(client, { alertChannelID: known.id, body: changed });
          showDone(alertsTexts.saved);
        }
        if (known === undefined && created !== undefined) {
          const { secret } = await createAlertChannel(client, { projectID, body: created });
          if (secret !== undefined) onSecret(secret);
        }
        await queries.invalidateQueries({ queryKey: alertsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChannelFields input={input} isNew={known === undefined} onChange={setInput} />
      </Stack>
    </ConfirmDialog>
  );
}
