import { Text } from '@mantine/core';
import {
  type AlertChannel,
  deleteAlertChannel,
  rotateAlertChannel,
  updateAlertChannel,
} from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { alertsKey } from '../alert-queries.ts';
import type { ChannelAction } from './channel-actions.tsx';

interface ChannelConfirmProps {
  readonly projectID: string;
  readonly channel: AlertChannel;
  readonly action: Exclude<ChannelAction, 'change'>;
  /** Gets the new secret of a webhook. */
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

/** Asks before a channel is changed in a way that people notice. */
export function ChannelConfirm({ projectID, channel, action, onSecret, onClose }: ChannelConfirmProps) {
  const queries = useQueryClient();
  const { id: alertChannelID, name } = channel;
  const isOff = channel.status === 'disabled';
  const asked = {
    rotate: {
      title: alertsTexts.rotateOf(name),
      text: alertsTexts.rotateText,
      confirm: alertsTexts.rotate,
      run: async () => onSecret((await rotateAlertChannel(client, { alertChannelID, body: {} })).secret),
    },
    turn: {
      title: isOff ? alertsTexts.enableOf(name) : alertsTexts.disableOf(name),
      text: isOff ? alertsTexts.enableText : alertsTexts.disableText,
      confirm: isOff ? alertsTexts.enable : alertsTexts.disable,
      run: () => updateAlertChannel(client, { alertChannelID, body: { enabled: isOff } }),
    },
    remove: {
      title: alertsTexts.removeChannel(name),
      text: alertsTexts.removeChannelText,
      confirm: alertsTexts.remove,
      run: async () => {
        await deleteAlertChannel(client, { alertChannelID });
        showDone(alertsTexts.removed(name));
      },
    },
  }[action];
  return (
    <ConfirmDialog
      isOpen
      title={asked.title}
      confirm={asked.confirm}
      isDangerous={action === 'remove'}
      onConfirm={async () => {
        await asked.run();
        await queries.invalidateQueries({ queryKey: alertsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Text size="sm">{asked.text}</Text>
    </ConfirmDialog>
  );
}
