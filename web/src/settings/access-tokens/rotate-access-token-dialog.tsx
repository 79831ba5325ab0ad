import { Radio, Stack, Text } from '@mantine/core';
import { type AccessToken, type RotateToken, rotateAccessToken } from '@muster/client';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { client } from '../../service/client.ts';
import { accessTokensTexts } from '../../texts/access-tokens.ts';

/** What becomes of the value that was valid until now. */
const ends = ['firstUse', 'day', 'now'] as const;
type End = (typeof ends)[number];

const bodies: Readonly<Record<End, RotateToken>> = {
  firstUse: { retireOnUse: true },
  day: { graceSeconds: 86_400 },
  now: { graceSeconds: 0 },
};

interface RotateAccessTokenDialogProps {
  readonly token: AccessToken;
  readonly onRotated: (token: AccessToken) => Promise<void>;
  readonly onClose: () => void;
}

export function RotateAccessTokenDialog({ token, onRotated, onClose }: RotateAccessTokenDialogProps) {
  const [end, setEnd] = useState<End>('firstUse');
  return (
    <ConfirmDialog
      isOpen
      title={accessTokensTexts.rotateTitle}
      confirm={accessTokensTexts.rotate}
      onConfirm={async () => {
        await onRotated(await rotateAccessToken(client, { accessTokenID: token.id, body: bodies[end] }));
      }}
      onClose={onClose}
    >
      <Text size="sm" mb="sm">
        {accessTokensTexts.rotateText} <NameText text={token.name} />
      </Text>
      <Radio.Group
        label={accessTokensTexts.earlierValue}
        value={end}
        onChange={(value) => setEnd(ends.find((one) => one === value) ?? 'firstUse')}
      >
        <Stack gap={6} mt={6}>
          {ends.map((value) => (
            <Radio
              key={value}
              value={value}
              label={accessTokensTexts.ends[value]}
              description={value === 'now' ? accessTokensTexts.endsSessions : undefined}
            />
          ))}
        </Stack>
      </Radio.Group>
    </ConfirmDialog>
  );
}
