/** Which agents a stage gives the version to. A number or a share counts those of earlier stages too: 1, then 10 %, then 50 %. */
export interface StageRule {
  readonly agents:
    | { readonly count: number }
    | { readonly percent: number }
    | { readonly tag: string }
    | { readonly names: readonly string[] }
    | { readonly site: string };
  readonly soakSeconds: number;
}

export interface PlannedAgent {
  readonly agentID: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly site: string | undefined;
  readonly isAlive: boolean;
  /** True: it asks with the id of its fleet, as others do, so that it cannot be chosen but only be counted. */
  readonly isShared: boolean;
}

export interface PlannedStage {
  /** Of those that can be chosen. */
  readonly agentIDs: readonly string[];
  /** Their places among all agents of the stage, from 0. */
  readonly positions: readonly number[];
  /** Agents that are counted only. */
  readonly sharedCount: number;
  readonly soakSeconds: number;
  /** Of its agents, the ones that were heard lately. */
  readonly alive: number;
}

/**
 * Distributes agents over stages. The same agents and the same rollout give the same plan. Agents that are heard come first, since the others show nothing, and
 * every stage has its share of each site. Agents that cannot be chosen are in stages that take a number or a share. A stage that would get nobody is left out; all who are left are in a last stage of their own.
 */
export function planStages(
  rolloutID: string,
  rules: readonly StageRule[],
  agents: readonly PlannedAgent[],
): PlannedStage[] {
  const open = new Set(spread(rolloutID, agents));
  const stages: PlannedStage[] = [];
  for (const rule of rules) {
    const chosen = choose(rule.agents, open, agents.length);
    for (const agent of chosen) open.delete(agent);
    if (chosen.length > 0) stages.push(toStage(chosen, rule.soakSeconds));
  }
  if (open.size > 0) stages.push(toStage([...open], rules.at(-1)?.soakSeconds ?? 0));
  return stages;
}

function choose(
  rule: StageRule['agents'],
  open: ReadonlySet<PlannedAgent>,
  total: number,
): readonly PlannedAgent[] {
  const placed = total - open.size;
  const rest = [...open];
  if ('count' in rule) return rest.slice(0, Math.max(rule.count - placed, 0));
  if ('percent' in rule) return rest.slice(0, Math.max(Math.ceil((rule.percent / 100) * total) - placed, 0));
  if ('tag' in rule) return rest.filter(({ tags, isShared }) => !isShared && tags.includes(rule.tag));
  if ('names' in rule) return rest.filter(({ name, isShared }) => !isShared && rule.names.includes(name));
  return rest.filter(({ site, isShared }) => !isShared && site === rule.site);
}

function toStage(agents: readonly PlannedAgent[], soakSeconds: number): PlannedStage {
  return {
    agentIDs: agents.flatMap(({ agentID, isShared }) => (isShared ? [] : [agentID])),
    positions: agents.flatMap(({ isShared }, position) => (isShared ? [] : [position])),
    sharedCount: agents.filter(({ isShared }) => isShared).length,
    soakSeconds,
    alive: agents.filter(({ isAlive }) => isAlive).length,
  };
}

/** An order of which every beginning has the same share of each site. */
function spread(rolloutID: string, agents: readonly PlannedAgent[]): PlannedAgent[] {
  const bySite = new Map<string, { readonly agent: PlannedAgent; readonly hash: number }[]>();
  for (const agent of agents) {
    const site = `${agent.isAlive} ${agent.isShared} ${agent.site ?? ''}`;
    const ofSite = bySite.get(site) ?? [];
    ofSite.push({ agent, hash: hashText(`${rolloutID} ${agent.agentID}`) });
    bySite.set(site, ofSite);
  }
  const placed = [...bySite.values()].flatMap((ofSite) => {
    ofSite.sort((one, other) => one.hash - other.hash || compare(one.agent.agentID, other.agent.agentID));
    return ofSite.map(({ agent, hash }, rank) => ({ agent, hash, position: (rank + 0.5) / ofSite.length }));
  });
  // A stage of one agent is one that can be chosen, so that it is known which.
  const first = placed.reduce(
    (least, { agent, position }) => (agent.isShared ? least : Math.min(least, position)),
    Number.POSITIVE_INFINITY,
  );
  const positionOf = ({ agent, position }: (typeof placed)[number]) =>
    agent.isShared && Number.isFinite(first) ? Math.max(position, first) : position;
  placed.sort(
    (one, other) =>
      Number(other.agent.isAlive) - Number(one.agent.isAlive) ||
      positionOf(one) - positionOf(other) ||
      Number(one.agent.isShared) - Number(other.agent.isShared) ||
      one.hash - other.hash ||
      compare(one.agent.agentID, other.agent.agentID),
  );
  return placed.map(({ agent }) => agent);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** FNV-1a of 32 bits with the last steps of MurmurHash 3, which spread texts that differ in their last letters. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
