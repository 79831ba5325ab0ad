import { Checkbox, Stack, Text } from '@mantine/core';
import { createAlertChannel, createAlertRule } from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { showError } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { alertsKey, rulesQuery } from '../alert-queries.ts';
import { ChannelFields } from './channel-fields.tsx';
import { createBody, inputOf, labelsOfFields, ownTimeZone } from './channel-input.ts';
import { WebhookSecret } from './webhook-secret.tsx';

interface NewChannelProps {
  readonly projectID: string;
  readonly isOpen: boolean;
  /** Of the dialog, and on its button. */
  readonly title: string;
  readonly onClose: () => void;
}

/** Creates a channel with the rule that tells it of new causes. It stays on the screen, because it shows the secret of a webhook afterwards. */
export function NewChannel({ projectID, isOpen, title, onClose }: NewChannelProps) {
  // The secret is here and nowhere else.
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {isOpen && (
        <NewChannelDialog projectID={projectID} title={title} onSecret={setSecret} onClose={onClose} />
      )}
      <WebhookSecret secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

interface NewChannelDialogProps extends Omit<NewChannelProps, 'isOpen'> {
  /** Gets the secret of a webhook, which no other answer contains. */
  readonly onSecret: (secret: string) => void;
}

function NewChannelDialog({ projectID, title, onSecret, onClose }: NewChannelDialogProps) {
  const queries = useQueryClient();
  const { data: rules = [] } = useQuery(rulesQuery(projectID));
  const [input, setInput] = useState(() => inputOf(undefined, ownTimeZone()));
  const [wantsNew, setWantsNew] = useState(true);
  const body = createBody(input);
  const ofAll = rules.find(
    ({ kind, enabled, channelIDs }) => kind === 'new_group' && enabled && channelIDs === null,
  );
  return (
    <ConfirmDialog
      isOpen
      title={title}
      confirm={title}
      isDisabled={body === undefined}
      fieldLabels={labelsOfFields}
      onConfirm={async () => {
        if (body === undefined) return;
        const { id, secret } = await createAlertChannel(client, { projectID, body });
        if (secret !== undefined) onSecret(secret);
        if (wantsNew && ofAll === undefined) {
          const rule = { kind: 'new_group', channelIDs: [id] } as const;
          // The channel is there: another attempt in this dialog would create a second one. Its card says that nothing is told, and leads to a rule.
          await createAlertRule(client, { projectID, body: rule }).catch(showError);
        }
        await queries.invalidateQueries({ queryKey: alertsKey(projectID) });
      }}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChannelFields input={input} isNew onChange={setInput} />
        {ofAll === undefined ? (
          <Checkbox
            label={alertsTexts.tellNew}
            description={alertsTexts.tellNewText}
            checked={wantsNew}
            onChange={({ currentTarget }) => setWantsNew(currentTarget.checked)}
          />
        ) : (
          <Text size="sm">{alertsTexts.isToldOfNew(ofAll.name)}</Text>
        )}
      </Stack>
    </ConfirmDialog>
  );
}
