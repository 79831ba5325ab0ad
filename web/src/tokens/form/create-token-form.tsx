import { Button, Group, Stack, Text } from '@mantine/core';
import { createToken, type Token } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explainError } from '../../parts/explain-error.ts';
import { useNow } from '../../parts/now.tsx';
import { client } from '../../service/client.ts';
import { useHeldGrants } from '../../session/use-may.ts';
import { partsTexts } from '../../texts/parts.ts';
import { tokensTexts } from '../../texts/tokens.ts';
import { mayGrant } from '../token-purposes.ts';
import { tokensKey } from '../token-queries.ts';
import { TokenFields } from './token-fields.tsx';
import { fieldsOf, type TokenInput } from './token-input.ts';

interface CreateTokenFormProps {
  readonly projectID: string;
  readonly onCreated: (token: Token) => void;
  readonly onCancel: () => void;
}

export function CreateTokenForm({ projectID, onCreated, onCancel }: CreateTokenFormProps) {
  const held = useHeldGrants(projectID);
  const queries = useQueryClient();
  const now = useNow();
  const [input, setInput] = useState<TokenInput>({
    name: '',
    purpose: mayGrant(held, 'agent') ? 'agent' : 'custom',
    chosen: [],
    expiry: 'never',
    networks: '',
    reports: '',
  });
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { name, permissions } = fieldsOf(input, now.get());

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setError(undefined);
    try {
      const token = await createToken(client, { projectID, body: fieldsOf(input, now.get()) });
      onCreated(token);
      void queries.invalidateQueries({ queryKey: tokensKey(projectID) });
    } catch (failure) {
      setError(failure);
      setIsBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {tokensTexts.createText}
        </Text>
        <TokenFields input={input} onChange={setInput} held={held} />
        {error !== undefined && (
          <Text c="var(--muster-bad)" size="sm" role="alert">
            {explainError(error).text}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {partsTexts.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={name === '' || permissions.length === 0}>
            {tokensTexts.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
