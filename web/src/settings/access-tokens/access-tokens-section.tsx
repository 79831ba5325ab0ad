import { Button, Group, Text } from '@mantine/core';
import type { AccessToken } from '@muster/client';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { EmptyState } from '../../parts/empty-state.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { showDone } from '../../parts/toasts.tsx';
import { projectsQuery } from '../../session/session-queries.ts';
import { DataTable } from '../../table/data-table.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { accessTokensTexts } from '../../texts/access-tokens.ts';
import { sessionsQuery } from '../sessions/session-queries.ts';
import { accessTokenColumns } from './access-token-columns.tsx';
import { accessTokensQuery } from './access-token-queries.ts';
import { CreateAccessTokenDialog } from './create-access-token-dialog.tsx';
import { RevokeAccessTokenDialog } from './revoke-access-token-dialog.tsx';
import { rotatableWith } from './rotatable-with.ts';
import { RotateAccessTokenDialog } from './rotate-access-token-dialog.tsx';

/** What is open above the list. The secret lives here alone, until the dialog is closed. */
type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'rotate' | 'revoke'; readonly token: AccessToken }
  | { readonly kind: 'secret'; readonly secret: string };

/** The access tokens of the user. */
export function AccessTokensSection() {
  const query = useInfiniteQuery(accessTokensQuery);
  const queries = useQueryClient();
  const { data: projects } = useQuery(projectsQuery);
  const { table, takeInNext } = useListRows(query, 'access-tokens', idOf);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  // A dialog that has done its work closes itself, and must not take the secret with it.
  const closeDialog = () => setOpen((now) => (now?.kind === 'secret' ? now : undefined));
  const { data: sessions } = useInfiniteQuery(sessionsQuery);
  const columns = useMemo(() => {
    const mayRotate = rotatableWith(sessions?.pages[0]?.items ?? []);
    const names = new Map(projects?.map(({ id, name }) => [id, name]));
    return accessTokenColumns(
      (id) => names.get(id) ?? id,
      (token) => [
        ...(mayRotate(token)
          ? [{ text: `${accessTokensTexts.rotate}…`, run: () => setOpen({ kind: 'rotate', token }) }]
          : []),
        {
          text: `${accessTokensTexts.revoke}…`,
          isDangerous: true,
          run: () => setOpen({ kind: 'revoke', token }),
        },
      ],
    );
  }, [projects, sessions]);
  const readAgain = async () => {
    takeInNext();
    await queries.invalidateQueries({ queryKey: accessTokensQuery.queryKey });
  };
  const showSecret = async ({ token }: AccessToken) => {
    setOpen({ kind: 'secret', secret: token });
    await readAgain();
  };
  const create = (
    <Button onClick={() => setOpen({ kind: 'create' })}>{`${accessTokensTexts.create}…`}</Button>
  );
  return (
    <>
      <Group justify="space-between" mb="sm" gap="xs">
        <Text size="sm" c="dimmed" maw="40rem" flex="1 1 16rem">
          {accessTokensTexts.description}
        </Text>
        {create}
      </Group>
      <DataTable
        {...table}
        label={accessTokensTexts.title}
        columns={columns}
        nameOf={({ name }) => name}
        rowHeight={48}
        empty={
          <EmptyState
            title={accessTokensTexts.none}
            text={accessTokensTexts.noneText}
            command={accessTokensTexts.noneCommand}
          />
        }
      />
      {open?.kind === 'create' && <CreateAccessTokenDialog onCreated={showSecret} onClose={closeDialog} />}
      {open?.kind === 'rotate' && (
        <RotateAccessTokenDialog token={open.token} onRotated={showSecret} onClose={closeDialog} />
      )}
      {open?.kind === 'revoke' && (
        <RevokeAccessTokenDialog
          token={open.token}
          onRevoked={async () => {
            showDone(accessTokensTexts.revoked);
            await readAgain();
          }}
          onClose={close}
        />
      )}
      <SecretDialog
        title={accessTokensTexts.secretTitle}
        secret={open?.kind === 'secret' ? open.secret : undefined}
        onClose={close}
      />
    </>
  );
}

function idOf({ id }: AccessToken): string {
  return id;
}
