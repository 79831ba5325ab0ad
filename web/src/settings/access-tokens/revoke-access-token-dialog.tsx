import { Skeleton, Text } from '@mantine/core';
import { type AccessToken, revokeAccessToken } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { explainError } from '../../parts/explain-error.ts';
import { NameText } from '../../parts/name-text.tsx';
import { client } from '../../service/client.ts';
import { accessTokensTexts } from '../../texts/access-tokens.ts';
import { endedWithQuery } from './access-token-queries.ts';

interface RevokeAccessTokenDialogProps {
  readonly token: AccessToken;
  readonly onRevoked: () => Promise<void>;
  readonly onClose: () => void;
}

const maxNamed = 5;

/** Shows what ends with a token before it is revoked. */
export function RevokeAccessTokenDialog({ token, onRevoked, onClose }: RevokeAccessTokenDialogProps) {
  const { data: ended, error } = useQuery(endedWithQuery(token));
  return (
    <ConfirmDialog
      isOpen
      title={accessTokensTexts.revokeTitle}
      confirm={accessTokensTexts.revoke}
      isDangerous
      isDisabled={ended === undefined && error === null}
      onConfirm={async () => {
        await revokeAccessToken(client, { accessTokenID: token.id });
        await onRevoked();
      }}
      onClose={onClose}
    >
      <Text size="sm">
        <NameText text={token.name} /> {accessTokensTexts.revokeText}
      </Text>
      {ended === undefined && error === null && <Skeleton height={20} mt="xs" />}
      {error !== null && <Text size="sm">{explainError(error).text}</Text>}
      {ended !== undefined && ended.tokens.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            {accessTokensTexts.endsTokens(ended.tokens.length)}
          </Text>
          <ul className="plain-list">
            {ended.tokens.slice(0, maxNamed).map(({ id, name }) => (
              <li key={id}>
                <NameText text={name} />
              </li>
            ))}
            {ended.tokens.length > maxNamed && (
              <li>{accessTokensTexts.andMore(ended.tokens.length - maxNamed)}</li>
            )}
          </ul>
        </>
      )}
      {ended !== undefined && ended.sessionsCount > 0 && (
        <Text size="sm" mt="xs">
          {accessTokensTexts.endsSessionsCount(ended.sessionsCount)}
        </Text>
      )}
      {ended?.endsOwnSession === true && (
        <Text size="sm" mt="xs" c="var(--muster-bad)" fw={600}>
          {accessTokensTexts.endsOwnSession}
        </Text>
      )}
    </ConfirmDialog>
  );
}
