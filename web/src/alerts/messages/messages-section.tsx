import { Group, NativeSelect } from '@mantine/core';
import type { AlertDelivery } from '@muster/client';
import { visibleText } from '@muster/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { DataTable } from '../../table/data-table.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { channelsQuery, messagesQuery } from '../alert-queries.ts';
import { type AlertsSearch, messageStates, readAlertsSearch } from '../alerts-search.ts';
import { messageColumns } from './message-columns.tsx';
import { MessageDialog } from './message-dialog.tsx';

interface MessagesSectionProps {
  readonly projectID: string;
  readonly search: AlertsSearch;
}

/** The messages to channels, and what became of them. */
export function MessagesSection({ projectID, search }: MessagesSectionProps) {
  const navigate = useNavigate({ from: '/projects/$projectID/alerts' });
  const { data: channels = [] } = useQuery(channelsQuery(projectID));
  const query = useInfiniteQuery(messagesQuery(projectID, search));
  const { table } = useListRows(query, JSON.stringify([projectID, search]), idOf);
  const [openID, setOpenID] = useState<string>();
  const nameOf = useMemo(() => {
    const names = new Map(channels.map(({ id, name }) => [id, name]));
    return (id: string) => names.get(id) ?? alertsTexts.deletedChannel;
  }, [channels]);
  const columns = useMemo(() => messageColumns(nameOf, setOpenID), [nameOf]);
  const open = table.rows?.find(({ row }) => row.id === openID)?.row;
  const change = (name: keyof AlertsSearch, value: string) =>
    void navigate({
      search: (before) => readAlertsSearch({ ...before, [name]: value }),
      replace: true,
      resetScroll: false,
    });
  const isFiltered = search.state !== undefined || search.channel !== undefined;
  return (
    <>
      <Group gap="xs" mb="md">
        <NativeSelect
          aria-label={alertsTexts.channel}
          value={search.channel ?? ''}
          onChange={({ currentTarget }) => change('channel', currentTarget.value)}
          data={[
            { value: '', label: alertsTexts.anyChannel },
            ...channels.map(({ id, name }) => ({ value: id, label: visibleText(name) })),
          ]}
        />
        <NativeSelect
          aria-label={alertsTexts.state}
          value={search.state ?? 'any'}
          onChange={({ currentTarget }) => change('state', currentTarget.value)}
          data={messageStates.map((value) => ({
            value,
            label: value === 'any' ? alertsTexts.anyState : alertsTexts.states[value],
          }))}
        />
      </Group>
      <DataTable
        {...table}
        label={alertsTexts.sections.messages}
        columns={columns}
        nameOf={({ title }) => title}
        onOpen={({ id }) => setOpenID(id)}
        empty={
          isFiltered ? (
            <EmptyState title={alertsTexts.noMatch} text={alertsTexts.noMatchText} />
          ) : (
            <EmptyState title={alertsTexts.noMessages} text={alertsTexts.noMessagesText} />
          )
        }
      />
      {open !== undefined && (
        <MessageDialog
          message={open}
          channelName={nameOf(open.channelID)}
          onClose={() => setOpenID(undefined)}
        />
      )}
    </>
  );
}

function idOf({ id }: AlertDelivery): string {
  return id;
}
