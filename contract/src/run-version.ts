import type { Agent } from './schemas/agent.ts';

/** The version of its fleet that an agent runs. Undefined: it runs something else, or nobody knows. */
export function runVersionOf(fleet: Agent['fleet']): number | undefined {
  if (fleet?.state !== 'applied' || fleet.isDrifted) return undefined;
  return fleet.versionNumber ?? undefined;
}
