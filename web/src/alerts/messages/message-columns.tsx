import { UnstyledButton } from '@mantine/core';
import type { AlertDelivery } from '@muster/client';
import { formatNumber } from '../../parts/amount.ts';
import { RelativeTime } from '../../parts/relative-time.tsx';
import type { Column } from '../../table/column.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import classes from './message-columns.module.css';
import { MessageState } from './message-state.tsx';

export function messageColumns(
  nameOf: (channelID: string) => string,
  onOpen: (id: string) => void,
): readonly Column<AlertDelivery>[] {
  return [
    {
      id: 'message',
      header: alertsTexts.message,
      width: 'minmax(0, 3fr)',
      cell: ({ id, title }) => (
        <UnstyledButton className={classes.open ?? ''} onClick={() => onOpen(id)}>
          <bdi>{title}</bdi>
        </UnstyledButton>
      ),
    },
    {
      id: 'channel',
      header: alertsTexts.channel,
      width: 'minmax(0, 1fr)',
      hideBelow: 'sm',
      cell: ({ channelID }) => <bdi>{nameOf(channelID)}</bdi>,
    },
    {
      id: 'state',
      header: alertsTexts.state,
      width: '6rem',
      cell: ({ state }) => <MessageState state={state} />,
    },
    {
      id: 'attempts',
      header: alertsTexts.attempts,
      width: '5rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ attempts }) => formatNumber(attempts),
    },
    {
      id: 'created',
      header: alertsTexts.sent,
      width: '6.5rem',
      align: 'end',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ];
}
