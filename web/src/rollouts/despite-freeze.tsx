import { Checkbox } from '@mantine/core';
import type { FreezeWindows } from '@muster/client';
import { Moment } from '../parts/moment.tsx';
import { rolloutsTexts } from '../texts/rollouts.ts';

interface DespiteFreezeProps {
  readonly freeze: NonNullable<FreezeWindows['freeze']>;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** Says what forbids it now, and lets somebody do it all the same. */
export function DespiteFreeze({ freeze: { name, endsAt }, isChecked, onChange }: DespiteFreezeProps) {
  return (
    <Checkbox
      mt="md"
      label={rolloutsTexts.despiteFreeze}
      description={
        <>
          {endsAt === null ? (
            rolloutsTexts.frozen(name)
          ) : (
            <>
              {rolloutsTexts.frozenUntil(name)} <Moment at={endsAt} />.
            </>
          )}{' '}
          {rolloutsTexts.despiteFreezeText}
        </>
      }
      checked={isChecked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
