import type { AuditEntry } from '@muster/contract';
import type { TestApp } from '../start-test-app.ts';

/** The newest 1,000 entries of all logs, newest first. */
export async function readAuditLog(app: TestApp): Promise<AuditEntry[]> {
  const { body } = await app.request<AuditEntry[]>('GET', '/v1/audit_log?last=1000', {
    as: { access: app.admin },
  });
  return body;
}
