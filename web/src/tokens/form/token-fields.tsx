import {
  Button,
  Collapse,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { Grant } from '@muster/contract';
import { useState } from 'react';
import { PermissionPicker } from '../../permissions/permission-picker.tsx';
import { tokensTexts } from '../../texts/tokens.ts';
import { mayGrant, tokenPurposes } from '../token-purposes.ts';
import { tokenExpiries } from './token-expiry.ts';
import type { TokenInput } from './token-input.ts';

interface TokenFieldsProps {
  readonly input: TokenInput;
  readonly onChange: (input: TokenInput) => void;
  /** What the user has: nobody grants more than that. */
  readonly held: readonly Grant[];
  /** When the token ends now, in words. Absent: it is a new one. */
  readonly endsNow?: string;
}

/** Everything about a token that can be chosen, at its creation and later. */
export function TokenFields({ input, onChange, held, endsNow }: TokenFieldsProps) {
  const { name, purpose, chosen, expiry, networks, reports } = input;
  const [hasLimits, setHasLimits] = useState(networks !== '' || reports !== '');
  const set = (changed: Partial<TokenInput>) => onChange({ ...input, ...changed });
  const expiries = [
    ...(endsNow === undefined ? [] : [{ value: 'keep', label: tokensTexts.keepExpiry(endsNow) }]),
    ...tokenExpiries.map((value) => ({ value, label: tokensTexts.expiries[value] })),
  ];
  return (
    <>
      <TextInput
        label={tokensTexts.name}
        description={tokensTexts.nameHint}
        value={name}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
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
          onChange={(value) => set({ purpose: value })}
          data={tokenPurposes.map((value) => ({
            value,
            label: tokensTexts.purposes[value],
            disabled: !mayGrant(held, value) && value !== purpose,
          }))}
        />
        <Text size="xs" c="dimmed" mt={6}>
          {tokensTexts.purposeTexts[purpose]}
        </Text>
      </div>
      {purpose === 'custom' && (
        <PermissionPicker
          audience="token"
          value={chosen}
          onChange={(grants) => set({ chosen: grants })}
          held={held}
        />
      )}
      <NativeSelect
        label={tokensTexts.expiry}
        value={expiry}
        onChange={({ currentTarget }) =>
          set({ expiry: tokenExpiries.find((one) => one === currentTarget.value) ?? 'keep' })
        }
        data={expiries}
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
              onChange={({ currentTarget }) => set({ networks: currentTarget.value })}
              autosize
              minRows={2}
              maxRows={6}
            />
            <NumberInput
              label={tokensTexts.reportsPerSecond}
              description={tokensTexts.reportsHint}
              value={reports}
              onChange={(value) => set({ reports: value })}
              min={1}
              max={1_000_000}
              allowDecimal={false}
            />
          </Stack>
        </Collapse>
      </div>
    </>
  );
}
