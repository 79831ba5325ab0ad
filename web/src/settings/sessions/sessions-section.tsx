import { Button, Group, Text } from '@mantine/core';
import { revokeSession, type Session, signOut } from '@muster/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { rootURL } from '../../service/root-url.ts';
import { DataTable } from '../../table/data-table.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { sessionsTexts } from '../../texts/sessions.ts';
import { describeBrowser } from './describe-browser.ts';
import { sessionColumns } from './session-columns.tsx';
import { revokeOtherSessions, sessionsQuery } from './session-queries.ts';

/** The browsers in which the user is signed in, and the way to end that. */
export function SessionsSection() {
  const query = useInfiniteQuery(sessionsQuery);
  const queries = useQueryClient();
  const { table, takeInNext } = useListRows(query, 'sessions', idOf);
  const [ending, setEnding] = useState<Session>();
  const [isEndingOthers, setIsEndingOthers] = useState(false);
  const columns = useMemo(() => sessionColumns(setEnding), []);
  const readAgain = async () => {
    takeInNext();
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const end = async () => {
    if (ending === undefined) return;
    if (ending.current) {
      await signOut(client, {});
      window.location.assign(rootURL.href);
      return;
    }
    await revokeSession(client, { sessionID: ending.id });
    await readAgain();
    showDone(sessionsTexts.ended);
  };
  const hasOthers = table.rows?.some(({ row }) => !row.current) ?? false;
  return (
    <>
      <Group justify="space-between" mb="sm" gap="xs">
        <Text size="sm" c="dimmed" maw="40rem" flex="1 1 16rem">
          {sessionsTexts.description}
        </Text>
        {hasOthers && (
          <Button variant="default" size="compact-md" onClick={() => setIsEndingOthers(true)}>
            {`${sessionsTexts.endOthers}…`}
          </Button>
        )}
      </Group>
      <DataTable
        {...table}
        label={sessionsTexts.title}
        columns={columns}
        nameOf={nameOf}
        rowHeight={52}
        narrowRowHeight={72}
        empty={<EmptyState title={sessionsTexts.none} text={sessionsTexts.noneText} />}
      />
      <ConfirmDialog
        isOpen={ending !== undefined}
        title={ending?.current === true ? sessionsTexts.signOutTitle : sessionsTexts.endTitle}
        confirm={ending?.current === true ? sessionsTexts.signOut : sessionsTexts.end}
        isDangerous
        onConfirm={end}
        onClose={() => setEnding(undefined)}
      >
        <Text size="sm">
          {ending?.current === true
            ? sessionsTexts.signOutText
            : sessionsTexts.endText(ending === undefined ? '' : nameOf(ending))}
        </Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={isEndingOthers}
        title={sessionsTexts.endOthersTitle}
        confirm={sessionsTexts.endOthers}
        isDangerous
        onConfirm={async () => {
          const count = await revokeOtherSessions();
          await readAgain();
          showDone(sessionsTexts.othersEnded(count));
        }}
        onClose={() => setIsEndingOthers(false)}
      >
        <Text size="sm">{sessionsTexts.endOthersText}</Text>
      </ConfirmDialog>
    </>
  );
}

function idOf({ id }: Session): string {
  return id;
}

function nameOf({ userAgent, address }: Session): string {
  const browser = describeBrowser(userAgent ?? '') ?? sessionsTexts.aBrowser;
  return address === null ? browser : `${browser}, ${address}`;
}
