import { Button } from '@mantine/core';
import type { AlertChannel, AlertDelivery } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useArrival } from '../../app/use-arrival.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useMay } from '../../session/use-may.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { alertsKey, channelsQuery, rulesQuery } from '../alert-queries.ts';
import { CardList } from '../card-list.tsx';
import { RuleDialog } from '../rules/rule-dialog.tsx';
import { SectionActions } from '../section-actions.tsx';
import type { ChannelAction } from './channel-actions.tsx';
import { ChannelCard } from './channel-card.tsx';
import { ChannelConfirm } from './channel-confirm.tsx';
import { ChannelDialog } from './channel-dialog.tsx';
import { NewChannel } from './new-channel.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

/** The channels of a project. */
export function ChannelsSection({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const queries = useQueryClient();
  const { data: channels, error, refetch } = useQuery(channelsQuery(projectID));
  const { data: rules } = useQuery(rulesQuery(projectID));
  const [toldMore, setToldMore] = useState<AlertChannel>();
  const createText = channels?.length === 0 ? alertsTexts.createAlert : alertsTexts.createChannel;
  const [isCreating, setIsCreating] = useState(false);
  useArrival(
    'create',
    useCallback(() => setIsCreating(true), []),
  );
  const [open, setOpen] = useState<{ readonly channel: AlertChannel; readonly action: ChannelAction }>();
  const [tested, setTested] = useState<Readonly<Record<string, AlertDelivery>>>({});
  // The secret is here and nowhere else.
  const [secret, setSecret] = useState<string>();
  const close = () => setOpen(undefined);
  return (
    <>
      {may('create:webhook') && (
        <SectionActions>
          <Button onClick={() => setIsCreating(true)}>{`${createText}…`}</Button>
        </SectionActions>
      )}
      <CardList
        items={channels}
        label={alertsTexts.sections.channels}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState
            title={alertsTexts.noChannelsTitle}
            text={alertsTexts.noChannelsText}
            command={alertsTexts.noAlertsCommand}
          />
        }
      >
        {(channel) => (
          <ChannelCard
            key={channel.id}
            projectID={projectID}
            channel={channel}
            rules={rules}
            onCreateRule={() => setToldMore(channel)}
            tested={tested[channel.id]}
            onTested={(delivery) => {
              setTested((before) => ({ ...before, [channel.id]: delivery }));
              void queries.invalidateQueries({ queryKey: alertsKey(projectID) });
            }}
            onAction={(action) => setOpen({ channel, action })}
          />
        )}
      </CardList>
      <NewChannel
        projectID={projectID}
        isOpen={isCreating}
        title={createText}
        onClose={() => setIsCreating(false)}
      />
      {toldMore !== undefined && (
        <RuleDialog
          projectID={projectID}
          rule="new"
          channelIDs={[toldMore.id]}
          onClose={() => setToldMore(undefined)}
        />
      )}
      {open?.action === 'change' && (
        <ChannelDialog projectID={projectID} channel={open.channel} onClose={close} />
      )}
      {open !== undefined && open.action !== 'change' && (
        <ChannelConfirm
          projectID={projectID}
          channel={open.channel}
          action={open.action}
          onSecret={setSecret}
          onClose={close}
        />
      )}
      <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}
