import type { AuditEntry } from '@muster/client';
import type { AuditAction } from '@muster/contract';

/** An entry of the audit log, as the service records it, with the sentence that tells it. */
export type ToldEntry = readonly [sentence: string, action: AuditAction, values: Partial<AuditEntry>];

/** Of who did it, and of what it was done to. A sentence contains neither. */
export const id = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';
export const other = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2e';

export const target = (kind: AuditEntry['target']['kind'], name: string | null) => ({
  kind,
  id: other,
  name,
});
export const actor = (
  kind: AuditEntry['actor']['kind'],
  name: string | null,
  actorID: string | null = id,
) => ({
  kind,
  id: kind === 'system' ? null : actorID,
  name,
  credentialID: null,
});
export const service = { actor: actor('system', null) };
