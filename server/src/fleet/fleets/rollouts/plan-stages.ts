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
  readonly agentsCount: number;
  /** Of those that can be chosen. */
  readonly agentIDs: readonly string[];
  /** Their places among all agents of the stage, from 0. */
  readonly positions: readonly number[];
  /** Agents that are counted only, and may get the version before all others have it. */
  readonly sharedCount: number;
  readonly soakSeconds: number;
  /** Of its agents, the ones that were heard lately. */
  readonly alive: number;
}

/**
 * Distributes agents over stages. The same agents and the same rollout give the same plan. Agents that are heard come first, since the others show nothing, and
 * every stage has its share of each site. Agents that cannot be chosen are in stages that take a number or a share. A stage that would get nobody is left out; all who are left are in a last stage of their own.
 *
 * @param last those that can get the version only when all do
 */
export function planStages(
  rolloutID: string,
  rules: readonly StageRule[],
  agents: readonly PlannedAgent[],
  last: readonly PlannedAgent[] = [],
): PlannedStage[] {
  const stages: PlannedStage[] = [];
  const total = agents.length + last.length;
  let rest = spread(rolloutID, agents);
  for (const rule of rules) {
    const divided = divide(rule.agents, rest, { taken: agents.length - rest.length, total });
    rest = divided.rest;
    if (divided.chosen.length > 0) stages.push(toStage(divided.chosen, rule.soakSeconds));
  }
  // Nobody could get it before them.
  if (agents.length === 0) return [];
  if (rest.length + last.length > 0) stages.push(toStage(rest, rules.at(-1)?.soakSeconds ?? 0, last));
  return stages;
}

interface DividedAgents {
  readonly chosen: PlannedAgent[];
  readonly rest: PlannedAgent[];
}

function divide(
  rule: StageRule['agents'],
  agents: readonly PlannedAgent[],
  { taken, total }: { readonly taken: number; readonly total: number },
): DividedAgents {
  if ('count' in rule || 'percent' in rule) {
    const upTo = 'count' in rule ? rule.count : Math.ceil((rule.percent / 100) * total);
    const count = Math.max(upTo - taken, 0);
    return { chosen: agents.slice(0, count), rest: agents.slice(count) };
  }
  const names = new Set('names' in rule ? rule.names : []);
  const isMeant = ({ tags, name, site }: PlannedAgent) => {
    if ('tag' in rule) return tags.includes(rule.tag);
    return 'names' in rule ? names.has(name) : site === rule.site;
  };
  const divided: DividedAgents = { chosen: [], rest: [] };
  for (const agent of agents) (!agent.isShared && isMeant(agent) ? divided.chosen : divided.rest).push(agent);
  return divided;
}

function toStage(
  agents: readonly PlannedAgent[],
  soakSeconds: number,
  last: readonly PlannedAgent[] = [],
): PlannedStage {
  const agentIDs: string[] = [];
  const positions: number[] = [];
  let alive = last.filter(({ isAlive }) => isAlive).length;
  for (const [position, { agentID, isShared, isAlive }] of agents.entries()) {
    if (isAlive) alive += 1;
    if (isShared) continue;
    agentIDs.push(agentID);
    positions.push(position);
  }
  const sharedCount = agents.length - agentIDs.length;
  return { agentsCount: agents.length + last.length, agentIDs, positions, sharedCount, soakSeconds, alive };
}

/** An order of which every beginning has the same share of each site. */
function spread(rolloutID: string, agents: readonly PlannedAgent[]): PlannedAgent[] {
  const seed = mix(0x811c9dc5, rolloutID);
  const sites = new Map<string | undefined, number>();
  for (const { site } of agents) if (!sites.has(site)) sites.set(site, sites.size);
  const groupOf = ({ isAlive, isShared, site }: PlannedAgent) =>
    4 * (sites.get(site) ?? 0) + 2 * Number(isAlive) + Number(isShared);
  const sizes: number[] = Array(4 * sites.size).fill(0);
  for (const agent of agents) sizes[groupOf(agent)] = (sizes[groupOf(agent)] ?? 0) + 1;
  const ranks: number[] = sizes.map(() => 0);
  const placed = sortByKey(agents, ({ agentID }) => hashOf(seed, agentID)).map((agent) => {
    const group = groupOf(agent);
    const rank = ranks[group] ?? 0;
    ranks[group] = rank + 1;
    return { agent, position: (rank + 0.5) / (sizes[group] ?? 1) };
  });
  // A stage of one agent is one that can be chosen, so that it is known which.
  const first = placed.find(({ agent }) => !agent.isShared)?.position ?? 0;
  return sortByKey(placed, ({ agent: { isAlive, isShared }, position }) => {
    const place = Math.floor((isShared ? Math.max(position, first) : position) * 2 ** 30);
    return ((isAlive ? 0 : 2 ** 30) + place) * 2 + Number(isShared);
  }).map(({ agent }) => agent);
}

/**
 * Items with equal keys stay as they come. Numbers alone are sorted several times as fast as with a comparison, and nobody else is answered while a hundred
 * thousand agents are sorted.
 *
 * @param keyOf a whole number from 0 to 2^32 - 1
 */
function sortByKey<Item>(items: readonly Item[], keyOf: (item: Item) => number): Item[] {
  const count = items.length;
  const keys = Float64Array.from(items, (item, index) => keyOf(item) * count + index).sort();
  return Array.from(keys, (key) => items[key % count] as Item); // the rest is the index that was added
}

/** FNV-1a of 32 bits, which goes on from the hash of the text before. */
function mix(hash: number, text: string): number {
  let mixed = hash;
  for (let index = 0; index < text.length; index += 1)
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193);
  return mixed;
}

/** With the last steps of MurmurHash 3, which spread texts that differ in their last letters. */
function hashOf(seed: number, text: string): number {
  let hash = mix(seed, text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
