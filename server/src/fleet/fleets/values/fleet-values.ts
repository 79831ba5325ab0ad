import type { Variable } from '@muster/fleet-config';

/** What variables stand for in the configurations of a fleet. */
export interface FleetValues {
  readonly vars: ReadonlyMap<string, string>;
  /** Values for agents with a tag. */
  readonly ofTags: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The names of those of which some agents have a value of their own, or one by a tag. */
  readonly special: ReadonlySet<string>;
  readonly secrets: ReadonlyMap<string, ServedSecret>;
}

interface ServedSecret {
  /** Another one after each change. It says nothing of the value. */
  readonly id: string;
  /** Undefined: it is sealed with a key that this process does not have. */
  readonly value: string | undefined;
}

/** What is known of one agent. */
export interface AgentValues {
  readonly name: string;
  readonly machineID: string;
  readonly tags: readonly string[];
  /** Values for this agent alone. */
  readonly vars: ReadonlyMap<string, string>;
}

/** Whether a variable can stand for something else on each agent. */
export function isOfAgent({ scope, name }: Variable, { special }: FleetValues): boolean {
  return scope === 'agent' || (scope === 'vars' && special.has(name));
}

/**
 * What a variable stands for on an agent; undefined if that is nothing, or nothing that may be written into a configuration. Of several values, that
 * of the agent goes first, then that of its first tag in alphabetical order that has one, then that of the fleet.
 *
 * @param agent undefined: all agents of the fleet ask with the same id
 */
export function valueOfVariable(
  { scope, name }: Variable,
  { vars, ofTags, secrets }: FleetValues,
  agent: AgentValues | undefined,
): string | undefined {
  if (scope === 'agent') return agent === undefined ? undefined : ofAgent(name, agent);
  if (scope === 'secrets') return secrets.get(name)?.value;
  if (scope === 'files') return name;
  if (scope !== 'vars') return undefined;
  const own = agent?.vars.get(name);
  if (own !== undefined) return own;
  for (const tag of agent?.tags.toSorted() ?? []) {
    const ofTag = ofTags.get(tag)?.get(name);
    if (ofTag !== undefined) return ofTag;
  }
  return vars.get(name);
}

/**
 * Agents choose these themselves, and one with a token of its project can register with those of another. So they may only have characters that mean
 * nothing to anything that a configuration is passed on to: no path, no pattern, no list, no variable, no code.
 */
const harmless = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,254}$/;

function ofAgent(name: string, agent: AgentValues): string | undefined {
  const value = name === 'name' ? agent.name : name === 'machineID' ? agent.machineID : undefined;
  return value !== undefined && harmless.test(value) ? value : undefined;
}
