import type { AuditEntry } from '@muster/client';
import { entrySentence } from '@muster/contract';
import { plainSentence } from './plain-sentence.ts';
import type { View } from './printer.ts';

export const auditView: View<AuditEntry> = {
  id: ({ id }) => id,
  columns: [
    { title: 'WHEN', cell: ({ createdAt }, { time }) => time(createdAt) },
    {
      title: 'WHAT',
      isFlexible: true,
      cell: (entry, { withCommands }) => plainSentence(entrySentence(entry), { withCommands }),
    },
    { title: 'FROM', leaveOut: 2, cell: ({ address }) => address ?? '' },
    { title: 'REQUEST', leaveOut: 1, cell: ({ requestID }) => requestID ?? '' },
  ],
  details: (entry, { time, withCommands }) => [
    ['id', entry.id],
    ['when', time(entry.createdAt)],
    ['what', plainSentence(entrySentence(entry), { withCommands })],
  ],
};
