import { Button } from '@mantine/core';
import type { Token } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useArrival } from '../app/use-arrival.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Page } from '../parts/page.tsx';
import { useMay } from '../session/use-may.ts';
import { DataTable } from '../table/data-table.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { RotateTokenDialog } from './rotate-token-dialog.tsx';
import { tokenColumns } from './token-columns.tsx';
import { TokenFilters } from './token-filters.tsx';
import { tokensQuery } from './token-queries.ts';
import { readTokensSearch } from './tokens-search.ts';

const route = getRouteApi('/projects/$projectID/tokens');

/** The tokens of a project, the newest first. */
export function TokensPage() {
  const { projectID } = route.useParams();
  const search = route.useSearch({ select: readTokensSearch });
  const navigate = useNavigate();
  const may = useMay(projectID);
  const [isCreating, setIsCreating] = useState(false);
  useArrival(
    'create',
    useCallback(() => setIsCreating(true), []),
  );
  const query = useInfiniteQuery(tokensQuery(projectID, search));
  const { table, takeInNext } = useListRows(query, JSON.stringify([projectID, search]), idOf);
  const mayRotate = may('update:token');
  // It stays when the dialog closes, because the new value is shown then.
  const [rotated, setRotated] = useState<Token>();
  const [isRotating, setIsRotating] = useState(false);
  const columns = useMemo(() => {
    const rotate = (token: Token) => {
      setRotated(token);
      setIsRotating(true);
    };
    return tokenColumns(projectID, mayRotate ? rotate : undefined);
  }, [projectID, mayRotate]);
  const isFiltered = Object.keys(search).length > 0;
  const create = may('create:token') && (
    <Button onClick={() => setIsCreating(true)}>{`${tokensTexts.create}…`}</Button>
  );
  return (
    <Page title={tokensTexts.title} description={tokensTexts.description} actions={create}>
      <TokenFilters search={search} />
      <DataTable
        {...table}
        label={tokensTexts.title}
        columns={columns}
        nameOf={({ name }) => name}
        narrowRowHeight={52}
        onOpen={({ id: tokenID }) =>
          void navigate({ to: '/projects/$projectID/tokens/$tokenID', params: { projectID, tokenID } })
        }
        empty={
          isFiltered ? (
            <EmptyState title={tokensTexts.noMatch} text={tokensTexts.noMatchText} />
          ) : (
            <EmptyState
              title={tokensTexts.none}
              text={tokensTexts.noneText}
              command={tokensTexts.noneCommand}
            />
          )
        }
      />
      <CreateTokenDialog
        projectID={projectID}
        isOpen={isCreating}
        onCreated={takeInNext}
        onClose={() => setIsCreating(false)}
      />
      {rotated !== undefined && (
        <RotateTokenDialog
          projectID={projectID}
          token={rotated}
          isOpen={isRotating}
          onClose={() => setIsRotating(false)}
        />
      )}
    </Page>
  );
}

function idOf({ id }: Token): string {
  return id;
}
