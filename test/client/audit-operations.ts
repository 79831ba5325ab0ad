import {
  type Client,
  exportAuditLog,
  exportInstallationAuditLog,
  getAuditChain,
  listAuditChains,
  listAuditEntries,
  listInstallationAuditEntries,
} from '@muster/client';
import { expect } from 'vitest';
import { all } from './outcomes.ts';

/** Calls every operation of the audit log, and checks the answers. */
export async function useAuditLog(admin: Client, projectID: string): Promise<void> {
  const entries = await all(listAuditEntries(admin, { projectID, action: 'project.*' }));
  expect(entries).toMatchObject([{ action: 'project.created', projectID, sequence: 1 }]);
  const chain = await getAuditChain(admin, { projectID });
  expect(chain).toMatchObject({ format: 'muster-audit-log/1', id: projectID, projectID });
  const lines = (await exportAuditLog(admin, { projectID, limit: 1 })).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([chain, entries[0]]);
  const users = await all(listInstallationAuditEntries(admin, { action: 'user.created' }));
  expect(users.at(-1)).toMatchObject({ projectID: null });
  expect(await all(listAuditChains(admin))).toContainEqual(chain);
  expect(await exportInstallationAuditLog(admin)).toContain('"action":"user.created"');
}
