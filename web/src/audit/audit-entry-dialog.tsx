import { Button, Group, Modal, Text } from '@mantine/core';
import type { AuditEntry } from '@muster/client';
import { Facts } from '../parts/facts.tsx';
import { formatExact } from '../parts/format-time.ts';
import { auditTexts } from '../texts/audit.ts';
import type { AuditSearch } from './audit-search.ts';
import { AuditSentence } from './audit-sentence.tsx';
import { valueRows } from './value-rows.ts';
import { ValueTable } from './value-table.tsx';

interface AuditEntryDialogProps {
  readonly entry: AuditEntry | undefined;
  readonly onFilter: (filter: AuditSearch) => void;
  readonly onClose: () => void;
}

/** All of an entry: who, from where, and what was replaced by what. */
export function AuditEntryDialog({ entry, onFilter, onClose }: AuditEntryDialogProps) {
  return (
    <Modal opened={entry !== undefined} onClose={onClose} title={auditTexts.entry} size="xl">
      {entry !== undefined && <Details entry={entry} onFilter={onFilter} />}
    </Modal>
  );
}

interface DetailsProps {
  readonly entry: AuditEntry;
  readonly onFilter: (filter: AuditSearch) => void;
}

function Details({ entry, onFilter }: DetailsProps) {
  const { actor, target, address, requestID, createdAt, sequence, action } = entry;
  return (
    <>
      <Text mb="sm">
        <AuditSentence entry={entry} />.
      </Text>
      <Facts
        facts={[
          { name: auditTexts.when, value: formatExact(createdAt) },
          { name: auditTexts.action, value: <code>{action}</code> },
          ...fact(auditTexts.actor, actor.id),
          ...fact(auditTexts.credential, actor.credentialID),
          ...fact(auditTexts.target, target.id),
          ...fact(auditTexts.address, address),
          ...fact(auditTexts.request, requestID),
          { name: auditTexts.number, value: sequence.toLocaleString('en') },
        ]}
      />
      <ValueTable rows={valueRows(entry)} />
      <Group gap="xs" mt="lg">
        {actor.id !== null && (
          <Button variant="default" size="compact-sm" onClick={() => onFilter({ actor: actor.id ?? '' })}>
            {auditTexts.onlyActor}
          </Button>
        )}
        {target.id !== null && (
          <Button variant="default" size="compact-sm" onClick={() => onFilter({ target: target.id ?? '' })}>
            {auditTexts.onlyTarget}
          </Button>
        )}
      </Group>
    </>
  );
}

function fact(name: string, text: string | null) {
  return text === null ? [] : [{ name, value: <code>{text}</code> }];
}
