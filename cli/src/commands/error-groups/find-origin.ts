import type { Agent, AgentErrorGroup, AgentErrorGroupOrigin } from '@muster/client';
import { type Change, changeOf, isOfFirstConfig, labelOf, parseDiff, runVersionOf } from '@muster/contract';
import type { Connection } from '../../connection/connect.ts';
import { unlessRefused } from '../../connection/unless-refused.ts';

/** Where the cause of a group appeared first, or first since it came back. */
export interface Origin {
  readonly agentID: string;
  readonly agentName: string;
  /** Undefined: the agent may not be read. */
  readonly projectID: string | undefined;
  readonly configID: string;
  /** What people call the configuration: `version 42 of us-east-1`, or what it says itself, such as `release 42`. Undefined: neither is known. */
  readonly label: string | undefined;
  /** False: no agent with the cause runs the configuration, or it came back, and most of them run another one. */
  readonly isPresent: boolean;
  /** True: agents have the cause, and none of them runs the configuration any more. */
  readonly isGone: boolean;
  /** Who has the cause. */
  readonly spread: Omit<AgentErrorGroupOrigin, 'first' | 'fleetID'>;
  /** Undefined: the configuration is not present, its agent had no other one before, had it for long, or that may not be read. */
  readonly change: Change | undefined;
}

/** The agent and the configuration of the first error of a group, or of the first one since it came back. Undefined if it had none, if it is no longer stored, and if the credential may not read it. */
export async function findOrigin(
  { client }: Pick<Connection, 'client'>,
  group: Pick<AgentErrorGroup, 'id' | 'firstSeenAt' | 'regressedAt' | 'agentsCount'>,
): Promise<Origin | undefined> {
  const { getAgent, getAgentConfigDiff, getAgentErrorGroupOrigin } = await import('@muster/client');
  const origin = await unlessRefused(getAgentErrorGroupOrigin(client, { agentErrorGroupID: group.id }));
  const first = origin?.first ?? null;
  if (origin === undefined || first === null) return undefined;
  const { agentID, agentName, configID } = first;
  const [agent, diff] = await Promise.all([
    unlessRefused(getAgent(client, { agentID })),
    unlessRefused(getAgentConfigDiff(client, { agentID, to: configID })),
  ]);
  const label = versionOf(agent, first) ?? (diff && labelOf(parseDiff(diff.diff)));
  // What most agents have with something else did not come from it, and what nobody has needs nothing.
  const isPresent = isOfFirstConfig(group, origin);
  const change = isPresent ? changeOf(group, origin, diff) : undefined;
  const isGone = origin.affectedCount > 0 && origin.affectedConfiguredCount === 0;
  const projectID = agent?.projectID;
  return { agentID, agentName, projectID, configID, label, isPresent, isGone, spread: origin, change };
}

/** As the agent runs it now: which version an earlier configuration was is not kept. */
function versionOf(
  agent: Agent | undefined,
  { configID }: NonNullable<AgentErrorGroupOrigin['first']>,
): string | undefined {
  const { fleet = null } = agent ?? {};
  const version = runVersionOf(fleet);
  if (fleet === null || version === undefined || agent?.configID !== configID) return undefined;
  return `version ${version} of ${fleet.name}`;
}
