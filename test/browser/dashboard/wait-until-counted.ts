import { listProjectErrors } from '@muster/client';
import { expect } from 'vitest';
import { eventually } from '../../../server/src/testing/eventually.ts';
import type { Dashboard } from './start-dashboard.ts';

/** Waits until the newest error is counted: on a busy machine, lists of causes and overviews may come without it until then. Returns its cause. */
export async function waitUntilCounted(
  { admin, app }: Pick<Dashboard, 'admin' | 'app'>,
  errorID: string,
): Promise<string> {
  let causeID: string | null | undefined;
  await eventually(async () => {
    const { items } = await listProjectErrors(admin, { projectID: app.project.id, last: 1 }).first();
    causeID = items[0]?.groupID;
    expect(items).toMatchObject([{ id: errorID, groupID: expect.any(String) }]);
  });
  return causeID ?? '';
}
