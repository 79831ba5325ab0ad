import type { AuditEntry } from '@muster/contract';
import type { Target } from './credential-table.ts';

interface Done {
  readonly params: Target['params'];
  readonly projectID: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type Expected = Pick<AuditEntry, 'action' | 'target'> & Partial<Pick<AuditEntry, 'after' | 'projectID'>>;

/** Every entry that a step of a move of a project makes in the audit log. */
export const recordedOfMoves = {
  departProject: ({ projectID }: Done) => [
    {
      action: 'project.frozen',
      target: { kind: 'project' as const, id: projectID, name: 'test' },
      after: { targetURL: 'https://b.example.com' },
    },
  ],
  beginArrival: ({ body }: Done) => [
    {
      action: 'project.arriving',
      projectID: null,
      target: { kind: 'project' as const, id: String(body.projectID), name: 'arriving' },
      after: { sourceURL: 'https://a.example.com' },
    },
  ],
  finishArrival: ({ params: { projectID = '' } }: Done) => [
    {
      action: 'project.arrived',
      projectID,
      target: { kind: 'project' as const, id: projectID, name: 'arriving' },
      after: { sourceURL: 'https://a.example.com' },
    },
  ],
} satisfies Record<string, (done: Done) => Expected[]>;
