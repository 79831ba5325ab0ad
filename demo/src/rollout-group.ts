import { type Access, requireText } from './access.ts';
import { type Client, textField } from './client.ts';
import { DemoError } from './demo-error.ts';

/** Part of the message of the bad rollout, and of no other. */
const search = 'no upstream connections available to';

/** The group of the errors of the bad rollout, or why it cannot be read. */
export type RolloutGroup = { readonly id: string } | { readonly unreadable: string };

export async function findRolloutGroup(client: Client, access: Access): Promise<RolloutGroup> {
  const path = `/v1/projects/${access.projectID}/agent_error_groups?last=1&q=${encodeURIComponent(search)}`;
  try {
    const { body } = await client.require({ method: 'GET', path, headers: access.headers });
    const [group]: unknown[] = Array.isArray(body) ? body : [];
    return group === undefined ? { unreadable: 'there is none' } : { id: requireText(group, 'id') };
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    return { unreadable: error.message };
  }
}

/**
 * Dismisses the group as its reader would, unless they have: only errors that come back after a dismissal are a regression.
 *
 * @returns how many errors it has dismissed; undefined if the group was dismissed before
 */
export async function dismissUnlessDismissed(
  client: Client,
  { projectID, headers }: Access,
  groupID: string,
  reason: string,
): Promise<number | undefined> {
  const group = await client.require({ method: 'GET', path: `/v1/agent_error_groups/${groupID}`, headers });
  if (textField(group.body, 'dismissedAt') !== undefined) return undefined;
  const path = `/v1/projects/${projectID}/dismissals`;
  const body = { reason, filter: { groupID } };
  const dismissal = await client.require({ method: 'POST', path, headers, body });
  return countField(dismissal.body, 'errorsCount');
}

/** @throws DemoError if the server's answer lacks the field */
function countField(body: unknown, name: string): number {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const value: unknown = fields.find(([key]) => key === name)?.[1];
  if (typeof value === 'number') return value;
  throw new DemoError(`The server's answer has no '${name}': is it another version?`);
}
