import type { AuditEntry } from '@muster/contract';
import { expect } from 'vitest';
import type { Target } from './credential-table.ts';

interface Done {
  readonly params: Target['params'];
  readonly body: Readonly<Record<string, unknown>>;
}

type Expected = Pick<AuditEntry, 'action' | 'target'> & Partial<Pick<AuditEntry, 'before' | 'after'>>;

const text = expect.any(String);

/** Every entry that an operation on core instances makes in the audit log. */
export const recordedOfCoreInstances = {
  createCoreInstance: ({ body }: Done) => [
    {
      action: 'core_instance.created',
      target: { kind: 'core_instance', id: String(body.id), name: String(body.name) },
      after: { name: body.name, tags: [] },
    },
  ],
  updateCoreInstance: ({ params, body }: Done) => [
    {
      action: 'core_instance.updated',
      target: ofCoreInstance(params, String(body.name)),
      before: { tags: [] },
      after: { tags: ['x'] },
    },
  ],
  deleteCoreInstance: ({ params }: Done) => [
    {
      action: 'core_instance.deleted',
      target: ofCoreInstance(params, text),
      before: { name: text, tags: [] },
    },
  ],
  rotateCoreInstance: ({ params, body }: Done) => [
    {
      action: 'core_instance.rotated',
      target: ofCoreInstance(params, String(body.name)),
      after: { graceSeconds: 86_400 },
    },
  ],
  rotateOwnCoreInstance: ({ body }: Done) => [
    {
      action: 'core_instance.rotated',
      target: ofCoreInstance({ coreInstanceID: String(body.id) }, String(body.name)),
      after: { graceSeconds: 86_400 },
    },
  ],
} satisfies Record<string, (done: Done) => Expected[]>;

function ofCoreInstance({ coreInstanceID = '' }: Target['params'], name: string) {
  return { kind: 'core_instance', id: coreInstanceID, name } as const;
}
