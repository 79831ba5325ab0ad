import { routes } from '@muster/contract';
import { toTimestamp } from '../foundation/clock.ts';
import { hangUpSignal } from '../foundation/http/connections/hang-up-signal.ts';
import { answerPage, pageOf, type RouteMounter } from '../foundation/http/mount-route.ts';
import { readTimeParameter } from '../foundation/http/requests/read-time-parameter.ts';
import type { ActorNameService } from '../people/actors/actor-name-service.ts';
import type { AgentErrorService } from './agent-error-service.ts';
import { isSearch } from './error-search.ts';
import { toAgentErrorsOf } from './to-agent-error.ts';

export function mountAgentErrorRoutes(
  mounter: RouteMounter,
  agentErrors: AgentErrorService,
  actors: ActorNameService,
): void {
  mounter.mount(routes.listAgentErrors, async (call) => {
    const { agentID } = call.params;
    const list = `errors of agent ${agentID}`;
    const { dismissed, current } = call.query;
    const filter = { dismissed, current };
    const page = await agentErrors.listOfAgent(call.principal, agentID, filter, pageOf(list, call));
    return answerPage(list, call, page, await toAgentErrorsOf(actors, page.rows));
  });

  mounter.mount(
    routes.listProjectErrors,
    async (call) => {
      const { projectID } = call.params;
      const { dismissed, current, q: text, agent_id: agentID, fleet_id: fleetID } = call.query;
      const { group_id: groupID } = call.query;
      const since = readTimeParameter('since', call.query.since);
      const until = readTimeParameter('until', call.query.until);
      const filter = { projectID, dismissed, current, text, agentID, fleetID, groupID, since, until };
      const list = `errors of project ${projectID}`;
      const page = await agentErrors.listOfProject(
        call.principal,
        filter,
        pageOf(list, call),
        hangUpSignal(call.request, call.reply),
      );
      return answerPage(list, call, page, await toAgentErrorsOf(actors, page.rows));
    },
    {
      takesTurns: ({ q, fleet_id, dismissed, current, group_id }) =>
        !isSearch({ text: q, fleetID: fleet_id, dismissed, current, groupID: group_id }),
    },
  );

  mounter.mount(routes.dismissAgentError, async ({ principal, params, body }) => ({
    dismissedAt: toTimestamp(await agentErrors.dismiss(principal, params.agentErrorID, body.reason)),
  }));

  mounter.mount(routes.reopenAgentError, async ({ principal, params }) => {
    const row = await agentErrors.reopen(principal, params.agentErrorID);
    const toAgentError = await toAgentErrorsOf(actors, [row]);
    return toAgentError(row);
  });
}
