import type { AgentErrorGroup } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import { CommandError } from '../../command-error.ts';
import type { Connection } from '../../connection/connect.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';

/** Where the cause of a group appeared first. */
export interface Origin {
  readonly agentName: string;
  readonly configID: string;
}

/**
 * The agent and the configuration of the first error of a group. Undefined if that error is no longer stored, if it had
 * no configuration, if the project is not clear, and if the credential may not read agents.
 */
export async function findOrigin(
  connection: Connection,
  { id, firstSeenAt, firstConfigID }: AgentErrorGroup,
  projectFlag: string | undefined,
): Promise<Origin | undefined> {
  if (firstConfigID === null) return undefined;
  const { client } = connection;
  const { getAgent, listProjectErrors, MusterError } = await import('@muster/client');
  try {
    const projectID = await chooseProjectID({ ...connection, askForProject: undefined }, projectFlag);
    const until = new Date(Date.parse(firstSeenAt) + 1).toISOString();
    const query = { projectID, group_id: id, since: firstSeenAt, until, last: largestPageSize };
    const { items } = await listProjectErrors(client, query).first();
    const first = items.find(({ configID }) => configID === firstConfigID);
    if (first === undefined) return undefined;
    const { name } = await getAgent(client, { agentID: first.agentID });
    return { agentName: name, configID: firstConfigID };
  } catch (error) {
    const isRefused = error instanceof MusterError && error.status < 500;
    if (isRefused || error instanceof CommandError) return undefined;
    throw error;
  }
}
