import { UnstyledButton } from '@mantine/core';
import type { AuditEntry } from '@muster/client';
import { RelativeTime } from '../parts/relative-time.tsx';
import type { Column } from '../table/column.ts';
import { auditTexts } from '../texts/audit.ts';
import classes from './audit.module.css';
import { AuditSentence, auditSentenceText } from './audit-sentence.tsx';

/** @param projectName undefined: every entry belongs to the same project */
export function auditColumns(
  onOpen: (entry: AuditEntry) => void,
  projectName: ((id: string) => string) | undefined,
): readonly Column<AuditEntry>[] {
  return [
    {
      id: 'what',
      header: auditTexts.what,
      width: 'minmax(0, 1fr)',
      cell: (entry) => (
        <>
          <UnstyledButton
            className={classes.sentence}
            title={auditSentenceText(entry)}
            onClick={() => onOpen(entry)}
          >
            <AuditSentence entry={entry} />
          </UnstyledButton>
          <span className={classes.narrow}>
            <RelativeTime at={entry.createdAt} />
          </span>
        </>
      ),
    },
    ...(projectName === undefined
      ? []
      : [
          {
            id: 'project',
            header: auditTexts.project,
            width: '9rem',
            hideBelow: 'md',
            cell: ({ projectID }: AuditEntry) =>
              projectID === null ? auditTexts.noProject : <bdi>{projectName(projectID)}</bdi>,
          } as const,
        ]),
    {
      id: 'when',
      header: auditTexts.when,
      width: '7rem',
      hideBelow: 'sm',
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'address',
      header: auditTexts.address,
      width: '9rem',
      hideBelow: 'md',
      cell: ({ address }) => <span title={address ?? undefined}>{address ?? auditTexts.none}</span>,
    },
    {
      id: 'request',
      header: auditTexts.request,
      width: '9rem',
      hideBelow: 'lg',
      cell: ({ requestID }) =>
        requestID === null ? auditTexts.none : <code title={requestID}>{requestID}</code>,
    },
  ];
}
