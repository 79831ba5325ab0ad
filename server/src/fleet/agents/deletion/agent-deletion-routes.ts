import { type QueryOf, routes } from '@muster/contract';
import { invalidParameter } from '@muster/http/requests/parse-query';
import type { RouteMounter } from '../../../foundation/http/mount-route.ts';
import { readTimeParameter } from '../../../foundation/http/requests/read-time-parameter.ts';
import { Refusal } from '../../../foundation/refusal.ts';
import type { AgentDeletion } from './agent-deletion.ts';

export function mountAgentDeletionRoutes(mounter: RouteMounter, deletion: AgentDeletion): void {
  mounter.mount(routes.deleteAgents, async ({ principal, params, query }) => {
    const dryRun = query.dry_run ?? false;
    const filter = { projectID: params.projectID, ...readFilter(query) };
    const how = { isDryRun: dryRun, maxAgents: query.max_agents };
    return { agentsCount: await deletion.deleteMatching(principal, filter, how), dryRun };
  });
}

/** @throws Refusal invalid_query_parameter also if there is no filter, because a forgotten one would delete all agents. */
function readFilter(query: QueryOf<typeof routes.deleteAgents>) {
  const { name, q: text, version, status, tag, fleet_id: fleetID } = query;
  const filter = {
    name,
    text,
    version,
    status,
    tag,
    fleetID,
    notSeenSince: readTimeParameter('not_seen_since', query.not_seen_since),
    agentIDs: readIDs(query.agent_id),
  };
  if (Object.values(filter).some((value) => value !== undefined)) return filter;
  throw new Refusal('invalid_query_parameter', {
    detail: `Say which agents to delete: give at least one of ${filterNames.join(', ')}. To delete all agents of a project, delete the project.`,
    fields: filterNames.map((path) => ({ path, message: 'give at least one filter' })),
  });
}

const filterNames = ['status', 'not_seen_since', 'agent_id', 'name', 'q', 'version', 'tag', 'fleet_id'];

const maxIDs = 100;

function readIDs(text: string | undefined): string[] | undefined {
  const ids = text?.toLowerCase().split(',');
  const wrong = ids?.find((id) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id));
  if (wrong !== undefined) {
    throw invalidParameter('agent_id', `has '${wrong}', which is not a UUID; separate ids with commas`);
  }
  if (ids !== undefined && ids.length > maxIDs) {
    throw invalidParameter('agent_id', `has ${ids.length} ids, but must have at most ${maxIDs}`);
  }
  return ids;
}
