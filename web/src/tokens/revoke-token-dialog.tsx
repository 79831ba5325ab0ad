import { Checkbox, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { revokeTokenWithReason, type Token, type TokenUsage } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { ErrorState } from '../parts/error-state.tsx';
import { HostileText } from '../parts/hostile-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { showDone } from '../parts/toasts.tsx';
import { client } from '../service/client.ts';
import { useMay } from '../session/use-may.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { stopsWithToken } from './stops-with-token.ts';
import classes from './token-page.module.css';
import { dependentTokensQuery, tokensKey, tokenUsageQuery } from './token-queries.ts';

interface RevokeTokenDialogProps {
  readonly projectID: string;
  readonly token: Token;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Shows who stops working, before it revokes a token. */
export function RevokeTokenDialog({ projectID, token, isOpen, onClose }: RevokeTokenDialogProps) {
  const may = useMay(projectID);
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const [revokesAgents, setRevokesAgents] = useState(false);
  const uses = useQuery({ ...tokenUsageQuery(projectID, token.id), enabled: isOpen });
  const depends = useQuery({ ...dependentTokensQuery(projectID, token.id), enabled: isOpen });
  const [usage, dependents] = [uses.data, depends.data];
  const failed = [uses, depends].find(({ data, error }) => data === undefined && error !== null);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={tokensTexts.revokeTitle(token.name)}
      confirm={tokensTexts.revoke}
      isDangerous
      isDisabled={usage === undefined || dependents === undefined}
      onConfirm={async () => {
        const given = reason.trim();
        await revokeTokenWithReason(client, {
          tokenID: token.id,
          body: {
            ...(given === '' ? {} : { reason: given }),
            ...(revokesAgents ? { revokeAgents: true } : {}),
          },
        });
        await queries.invalidateQueries({ queryKey: tokensKey(projectID) });
        showDone(tokensTexts.revokedDone(token.name));
      }}
      onClose={onClose}
    >
      <Stack gap="sm">
        {failed !== undefined ? (
          <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
        ) : usage === undefined || dependents === undefined ? (
          <Skeleton height={80} />
        ) : (
          <>
            <WhoStops usage={usage} />
            {dependents.length > 0 && (
              <Text size="sm">
                {tokensTexts.revokeDependents(dependents.map(({ name }) => name).join(', '))}
              </Text>
            )}
          </>
        )}
        <TextInput
          label={tokensTexts.reason}
          description={tokensTexts.reasonHint}
          value={reason}
          maxLength={100}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          data-autofocus
        />
        {usage !== undefined && usage.agentsCount > 0 && may('delete:agent') && (
          <Checkbox
            label={tokensTexts.revokeAgents}
            checked={revokesAgents}
            onChange={({ currentTarget }) => setRevokesAgents(currentTarget.checked)}
          />
        )}
        <Text size="sm" fw={500}>
          {tokensTexts.cannotUndo}
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}

function WhoStops({ usage }: { readonly usage: TokenUsage }) {
  const { agents, agentsCount, stoppingAgentsCount, lastUsedAt } = usage;
  const stopping = agents.filter(stopsWithToken);
  const goOn = agentsCount - stoppingAgentsCount;
  return (
    <div>
      {agentsCount === 0 && <Text size="sm">{tokensTexts.revokeNobody}</Text>}
      {stoppingAgentsCount > 0 && (
        <>
          <Text size="sm" fw={600} c="var(--muster-bad)">
            {tokensTexts.revokeStops(stoppingAgentsCount)}
          </Text>
          <ul className={`${classes.list} ${classes.stopping}`}>
            {stopping.map(({ id, name, lastSeenAt }) => (
              <li key={id}>
                <HostileText text={name} isLine />
                <RelativeTime at={lastSeenAt} />
              </li>
            ))}
          </ul>
        </>
      )}
      {stopping.length > 0 && stoppingAgentsCount > stopping.length && (
        <Text size="sm">{tokensTexts.moreStop(stoppingAgentsCount - stopping.length)}</Text>
      )}
      {goOn > 0 && <Text size="sm">{tokensTexts.revokeGoesOn(goOn)}</Text>}
      <Text size="sm" c="dimmed" mt={4}>
        {lastUsedAt === null ? (
          tokensTexts.revokeNeverUsed
        ) : (
          <>
            {tokensTexts.revokeLastUsed} <RelativeTime at={lastUsedAt} />.
          </>
        )}
      </Text>
    </div>
  );
}
