import type { AgentErrorGroup } from '@muster/client';
import { findConfigLabel, largestPageSize } from '@muster/contract';
import { CommandError } from '../../command-error.ts';
import type { Connection } from '../../connection/connect.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';

/** Where the cause of a group appeared first. */
export interface Origin {
  readonly agentName: string;
  readonly configID: string;
  /** Such as `release 42`. Undefined: the configuration does not say. */
  readonly label: string | undefined;
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
  const { getAgent, getAgentConfigDiff, listProjectErrors, MusterError } = await import('@muster/client');
  try {
    const projectID = await chooseProjectID({ ...connection, askForProject: undefined }, projectFlag);
    const until = new Date(Date.parse(firstSeenAt) + 1).toISOString();
    const query = { projectID, group_id: id, since: firstSeenAt, until, last: largestPageSize };
    const { items } = await listProjectErrors(client, query).first();
    const first = items.find(({ configID }) => configID === firstConfigID);
    if (first === undefined) return undefined;
    const { agentID } = first;
    const [{ name }, { diff }] = await Promise.all([
      getAgent(client, { agentID }),
      getAgentConfigDiff(client, { agentID, to: firstConfigID }),
    ]);
    const added = diff.split('\n').filter((line) => /^\+(?!\+\+)/.test(line));
    return {
      agentName: name,
      configID: firstConfigID,
      label: findConfigLabel(added.map((line) => line.slice(1))),
    };
  } catch (error) {
    const isRefused = error instanceof MusterError && error.status < 500;
    if (isRefused || error instanceof CommandError) return undefined;
    throw error;
  }
}
