import { hasPartIn, type Principal } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { AgentIdentity } from './agent-store.ts';

/** An agent token has a part in its own agent alone. */
export function hasPartInAgent(principal: Principal, row: AgentIdentity): boolean {
  return principal.kind === 'agent' ? principal.agentID === row.id : hasPartIn(principal, row.project_id);
}

/** An agent of others answers as one that does not exist. */
export function agentNotFound(agentID: string): Refusal {
  return new Refusal('not_found', { detail: `There is no agent ${agentID} that this credential can see.` });
}
