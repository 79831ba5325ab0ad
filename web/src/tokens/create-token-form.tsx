import {
  Button,
  Collapse,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { createToken, type Token } from '@muster/client';
import type { Grant } from '@muster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explainError } from '../parts/explain-error.ts';
import { useNow } from '../parts/now.tsx';
import { client } from '../service/client.ts';
import { useHeldGrants } from '../session/use-may.ts';
import { partsTexts } from '../texts/parts.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { PermissionPicker } from './permission-picker.tsx';
import { expiryTime, type TokenExpiry, tokenExpiries } from './token-expiry.ts';
import { grantsOfPurpose, mayGrant, type TokenPurpose, tokenPurposes } from './token-purposes.ts';
import { tokensKey } from './token-queries.ts';

interface CreateTokenFormProps {
  readonly projectID: string;
  readonly onCreated: (token: Token) => void;
  readonly onCancel: () => void;
}

export function CreateTokenForm({ projectID, onCreated, onCancel }: CreateTokenFormProps) {
  const held = useHeldGrants(projectID);
  const queries = useQueryClient();
  const now = useNow();
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState<TokenPurpose>(mayGrant(held, 'agent') ? 'agent' : 'custom');
  const [chosen, setChosen] = useState<Grant[]>([]);
  const [expiry, setExpiry] = useState<TokenExpiry>('never');
  const [hasLimits, setHasLimits] = useState(false);
  const [networks, setNetworks] = useState('');
  const [reports, setReports] = useState<number | string>('');
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const permissions = grantsOfPurpose(purpose, chosen);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setError(undefined);
    const allowedNetworks = networks.split(/[\s,]+/).filter((network) => network !== '');
    try {
      const body = {
        name: name.trim(),
        permissions,
        expiresAt: expiryTime(expiry, now.get()),
        ...(allowedNetworks.length === 0 ? {} : { allowedNetworks }),
        ...(typeof reports === 'number' ? { reportsPerSecond: reports } : {}),
      };
      const token = await createToken(client, { projectID, body });
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
        <TextInput
          label={tokensTexts.name}
          description={tokensTexts.nameHint}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={128}
          required
          data-autofocus
        />
        <div>
          <Text size="sm" fw={500} mb={4} id="token-purpose">
            {tokensTexts.purpose}
          </Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby="token-purpose"
            value={purpose}
            onChange={(value) => setPurpose(value)}
            data={tokenPurposes.map((value) => ({
              value,
              label: tokensTexts.purposes[value],
              disabled: !mayGrant(held, value),
            }))}
          />
          <Text size="xs" c="dimmed" mt={6}>
            {tokensTexts.purposeTexts[purpose]}
          </Text>
        </div>
        {purpose === 'custom' && <PermissionPicker value={chosen} onChange={setChosen} held={held} />}
        <NativeSelect
          label={tokensTexts.expiry}
          value={expiry}
          onChange={({ currentTarget }) =>
            setExpiry(tokenExpiries.find((one) => one === currentTarget.value) ?? 'never')
          }
          data={tokenExpiries.map((value) => ({ value, label: tokensTexts.expiries[value] }))}
        />
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-expanded={hasLimits}
            onClick={() => setHasLimits(!hasLimits)}
          >
            {tokensTexts.more}
          </Button>
          <Collapse expanded={hasLimits}>
            <Stack gap="sm" mt="xs">
              <Textarea
                label={tokensTexts.networks}
                description={tokensTexts.networksHint}
                placeholder="10.0.0.0/8"
                value={networks}
                onChange={({ currentTarget }) => setNetworks(currentTarget.value)}
                autosize
                minRows={2}
                maxRows={6}
              />
              <NumberInput
                label={tokensTexts.reportsPerSecond}
                description={tokensTexts.reportsHint}
                value={reports}
                onChange={setReports}
                min={1}
                max={1_000_000}
                allowDecimal={false}
              />
            </Stack>
          </Collapse>
        </div>
        {error !== undefined && (
          <Text c="var(--muster-bad)" size="sm" role="alert">
            {explainError(error).text}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {partsTexts.cancel}
          </Button>
          <Button type="submit" loading={isBusy} disabled={name.trim() === '' || permissions.length === 0}>
            {tokensTexts.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
