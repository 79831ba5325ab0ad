import { type AgentStatus, agentStatuses } from '@muster/contract';
import { describeStatus, type Moment, type StatusFacts } from '../liveness/agent-status.ts';

/** What an agent is counted by. */
interface AgentState {
  readonly status: AgentStatus;
  /** Empty: the agent did not say. */
  readonly type: string;
  readonly version: string;
}

/** An agent that may have changed, with the state that it was last counted with. */
export interface ChangedAgent {
  readonly id: string;
  readonly projectID: string;
  /** False for one that was deleted, individually or with its project. */
  readonly isThere: boolean;
  readonly name: string;
  readonly machineID: string;
  readonly type: string;
  readonly version: string;
  readonly facts: StatusFacts;
  /** In its signs of life. */
  readonly seenAt: number | null;
  /** Undefined: it is not known. Null: it was copied, and its first status is no change. */
  readonly known: AgentState | null | undefined;
}

export interface JudgedAgent {
  readonly agent: ChangedAgent;
  /** Undefined: it is no longer counted. */
  readonly state: AgentState | undefined;
  /** What its signs of life are to say; undefined: what they say. */
  readonly signs: CorrectedSigns | undefined;
}

interface CorrectedSigns {
  /** Since when it is offline. */
  readonly offlineAt: number | null;
  /** Null also if it was registered or updated after it ended: it may fall silent again. */
  readonly stoppedAt: number | null;
}

interface CountChange {
  readonly projectID: string;
  readonly agents: Readonly<Record<AgentStatus, number>>;
}

interface VersionChange {
  readonly projectID: string;
  readonly type: string;
  readonly version: string;
  readonly agents: number;
}

/** A row of `event_changes`. */
interface StatusEvent {
  readonly projectID: string;
  /** A JSON object. */
  readonly data: string;
}

/** What differs from what was counted before. */
export interface StateChanges {
  readonly written: readonly { readonly agent: ChangedAgent; readonly state: AgentState }[];
  readonly removed: readonly ChangedAgent[];
  readonly counts: readonly CountChange[];
  readonly versions: readonly VersionChange[];
  readonly events: readonly StatusEvent[];
}

export const statusEventType = 'agent.status_changed';

/** Of each portion of changes, so that reports do not wait long for it. */
export const maxChangedAgents = 1_000;

/** Agents that change to the same status together are told of in one event, which names so many. */
const maxNamedAgents = 10;

export function judgeAgent(agent: ChangedAgent, moment: Moment): JudgedAgent {
  if (!agent.isThere) return { agent, state: undefined, signs: undefined };
  const { facts, type, version } = agent;
  const { offline_at, stopped_at, last_seen_at } = facts;
  const { status, since } = describeStatus(facts, moment);
  const offlineAt = status === 'offline' ? since : offline_at;
  const stoppedAt = stopped_at !== null && stopped_at < last_seen_at ? null : stopped_at;
  const isOtherwise = offlineAt !== offline_at || stoppedAt !== stopped_at;
  return {
    agent,
    state: { status, type, version },
    signs: isOtherwise ? { offlineAt, stoppedAt } : undefined,
  };
}

export function compareStates(judged: readonly JudgedAgent[]): StateChanges {
  const written: { agent: ChangedAgent; state: AgentState }[] = [];
  const removed: ChangedAgent[] = [];
  const counts = new Map<string, Record<AgentStatus, number>>();
  const versions = new Map<string, VersionChange>();
  const changed = new Map<string, { status: AgentStatus; agents: ChangedAgent[] }>();
  const count = ({ projectID }: ChangedAgent, state: AgentState | null | undefined, by: 1 | -1): void => {
    if (state === undefined || state === null) return;
    const ofProject = counts.get(projectID) ?? {
      healthy: 0,
      unhealthy: 0,
      offline: 0,
      stopped: 0,
      unknown: 0,
    };
    ofProject[state.status] += by;
    counts.set(projectID, ofProject);
    const { type, version } = state;
    const key = JSON.stringify([projectID, type, version]);
    versions.set(key, { projectID, type, version, agents: (versions.get(key)?.agents ?? 0) + by });
  };
  for (const { agent, state } of judged) {
    const { known } = agent;
    if (state === undefined) removed.push(agent);
    else if (isOther(state, known)) written.push({ agent, state });
    else continue;
    count(agent, known, -1);
    count(agent, state, 1);
    if (state === undefined || known === null || (known?.status ?? 'healthy') === state.status) continue;
    const key = `${agent.projectID} ${state.status}`;
    const alike = changed.get(key) ?? { status: state.status, agents: [] };
    alike.agents.push(agent);
    changed.set(key, alike);
  }
  return {
    written,
    removed,
    counts: [...counts]
      .map(([projectID, agents]) => ({ projectID, agents }))
      .filter(({ agents }) => agentStatuses.some((status) => agents[status] !== 0))
      .toSorted((one, other) => (one.projectID < other.projectID ? -1 : 1)),
    versions: [...versions.values()].filter(({ agents }) => agents !== 0),
    events: [...changed.values()].flatMap(({ status, agents }) => eventOf(status, agents)),
  };
}

function isOther(state: AgentState, known: AgentState | null | undefined): boolean {
  return known?.status !== state.status || known.type !== state.type || known.version !== state.version;
}

function eventOf(status: AgentStatus, agents: readonly ChangedAgent[]): StatusEvent[] {
  const [first] = agents;
  if (first === undefined) return [];
  const named = agents.slice(0, maxNamedAgents).map(({ id, name, machineID, known }) => ({
    agentID: id,
    name,
    machineID,
    before: known?.status ?? null,
  }));
  const data = JSON.stringify({ status, count: agents.length, agents: named });
  return [{ projectID: first.projectID, data }];
}
