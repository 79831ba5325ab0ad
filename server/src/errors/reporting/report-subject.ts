import { type Principal, projectOf } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';

/** @throws Refusal not_found if the caller cannot report for any agent, or for this one. */
export function projectOfReport(principal: Principal, agentID: string): string {
  const projectID = projectOf(principal);
  if (projectID === undefined || (principal.kind === 'agent' && principal.agentID !== agentID)) {
    throw agentNotFound(agentID);
  }
  return projectID;
}

export function agentNotFound(agentID: string): Refusal {
  return new Refusal('not_found', { detail: `There is no agent ${agentID} that this credential can see.` });
}
