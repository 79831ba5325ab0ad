import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { AuditEntry } from '@muster/client';
import { auditTexts } from '../texts/audit.ts';
import { partsTexts } from '../texts/parts.ts';
import { actionChoices } from './action-choices.ts';
import classes from './audit.module.css';
import type { AuditSearch } from './audit-search.ts';

interface AuditFiltersProps {
  readonly search: AuditSearch;
  /** What is shown: it knows the names of what is filtered by id. */
  readonly entries: readonly AuditEntry[];
  readonly onChange: (change: { readonly [Name in keyof AuditSearch]?: string | undefined }) => void;
}

/** What the log shows, which stands in the address. */
export function AuditFilters({ search, entries, onChange }: AuditFiltersProps) {
  const { action, actor, target, from, to } = search;
  const actorName = entries.find((entry) => entry.actor.id === actor)?.actor.name ?? actor ?? '';
  const targetName = entries.find((entry) => entry.target.id === target)?.target.name ?? target ?? '';
  return (
    <search className={classes.filters} aria-label={auditTexts.filters}>
      <NativeSelect
        label={auditTexts.action}
        className={classes.action ?? ''}
        value={action ?? ''}
        onChange={({ currentTarget }) => onChange({ action: currentTarget.value })}
        data={[{ value: '', label: auditTexts.allActions }, ...actionChoices()]}
      />
      <TextInput
        type="date"
        label={auditTexts.from}
        value={from ?? ''}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label={auditTexts.to}
        value={to ?? ''}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
      />
      {actor !== undefined && (
        <Button
          variant="light"
          size="sm"
          maw="100%"
          aria-label={auditTexts.removeActor(actorName)}
          onClick={() => onChange({ actor: undefined })}
        >
          {auditTexts.by} <bdi>{actorName}</bdi> ✕
        </Button>
      )}
      {target !== undefined && (
        <Button
          variant="light"
          size="sm"
          maw="100%"
          aria-label={auditTexts.removeTarget(targetName)}
          onClick={() => onChange({ target: undefined })}
        >
          {auditTexts.about} <bdi>{targetName}</bdi> ✕
        </Button>
      )}
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
