import { type FreezeWindow, getFreezeWindows, updateFreezeWindows } from '@muster/client';
import { client } from '../../service/client.ts';

/** Reads the windows again before it writes them: all of them are replaced, and somebody may have changed others meanwhile. */
export async function changeWindows(
  projectID: string,
  change: (present: readonly FreezeWindow[]) => readonly FreezeWindow[],
): Promise<void> {
  const { freezeWindows } = await getFreezeWindows(client, { projectID });
  await updateFreezeWindows(client, { projectID, body: { freezeWindows: change(freezeWindows) } });
}
