import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { AuditEntry } from '@muster/client';
import { auditTexts } from '../texts/audit.ts';
import { partsTexts } from '../texts/parts.ts';
import { actionChoices } from './action-choices.ts';
import classes from './audit.module.css';
import type { AuditSearch } from './audit-search.ts';
import { nameChoices } from './name-choices.ts';
import { useKnownNames } from './use-known-names.ts';

interface AuditFiltersProps {
  /** Undefined: of the installation. */
  readonly projectID: string | undefined;
  readonly search: AuditSearch;
  /** They know the names of what is filtered by id. */
  readonly entries: readonly AuditEntry[];
  readonly onChange: (change: { readonly [Name in keyof AuditSearch]?: string | undefined }) => void;
}

/** What the log shows, which stands in the address. */
export function AuditFilters({ projectID, search, entries, onChange }: AuditFiltersProps) {
  const { action, actor, target, from, to } = search;
  const known = useKnownNames(projectID);
  return (
    <search className={classes.filters} aria-label={auditTexts.filters}>
      <NativeSelect
        label={auditTexts.action}
        className={classes.action ?? ''}
        value={action ?? ''}
        onChange={({ currentTarget }) => onChange({ action: currentTarget.value })}
        data={[{ value: '', label: auditTexts.allActions }, ...actionChoices()]}
      />
      <NativeSelect
        label={auditTexts.actor}
        className={classes.name ?? ''}
        value={actor ?? ''}
        onChange={({ currentTarget }) => onChange({ actor: currentTarget.value })}
        data={[{ value: '', label: auditTexts.anybody }, ...nameChoices(known, entries, 'actor', actor)]}
      />
      <NativeSelect
        label={auditTexts.target}
        className={classes.name ?? ''}
        value={target ?? ''}
        onChange={({ currentTarget }) => onChange({ target: currentTarget.value })}
        data={[{ value: '', label: auditTexts.anything }, ...nameChoices(known, entries, 'target', target)]}
      />
      <TextInput
        type="date"
        className={classes.name ?? ''}
        label={auditTexts.from}
        value={from ?? ''}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        className={classes.name ?? ''}
        label={auditTexts.to}
        value={to ?? ''}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
      />
      {Object.keys(search).length > 0 && (
        <Button
          variant="subtle"
          size="sm"
          onClick={() =>
            onChange({
              action: undefined,
              actor: undefined,
              target: undefined,
              from: undefined,
              to: undefined,
            })
          }
        >
          {partsTexts.clearFilters}
        </Button>
      )}
    </search>
  );
}
