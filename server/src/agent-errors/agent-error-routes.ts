import { type QueryOf, routes } from '@muster/contract';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { ActorNameService } from '../actors/actor-name-service.ts';
import type { RegistrationService } from '../agents/registration-service.ts';
import { toTimestamp } from '../clock.ts';
import { requireProjectToken } from '../credentials/principal.ts';
import { toProblem } from '../http/answers/reply-with-problem.ts';
import { hangUpSignal } from '../http/connections/hang-up-signal.ts';
import { answerPage, JsonText, pageOf, type RouteMounter } from '../http/mount-route.ts';
import { BodyRoom } from '../http/overload/body-room.ts';
import { readTimeParameter } from '../http/requests/read-time-parameter.ts';
import type { BodyValidators } from '../http/requests/validate-body.ts';
import type { AgentErrorService } from './agent-error-service.ts';
import { isSearch } from './error-search.ts';
import { type Reports, readReports } from './read-reports.ts';
import { RefusedReports } from './refused-reports.ts';
import type { AcceptedReport } from './report.ts';
import { noResultsHeader, outcomeOf, textsOf, wantsNoResults, writeResults } from './report-body.ts';
import { toAgentErrorsOf } from './to-agent-error.ts';

export function mountAgentErrorRoutes(
  mounter: RouteMounter,
  agentErrors: AgentErrorService,
  registrations: Pick<RegistrationService, 'findOrRegister'>,
  actors: ActorNameService,
  { validators, logger }: ReportRouteParts,
): void {
  const bodyRoom = new BodyRoom();
  const readBody = createReadBody(validators, new RefusedReports(logger));

  mounter.mount(
    routes.createAgentError,
    async ({ admission, params, body, reply }) =>
      answerReports(reply, body, await agentErrors.report(admission, params.agentID, textsOf(body.body))),
    { readBody, bodyRoom, provisional: true },
  );

  mounter.mount(
    routes.createMachineError,
    async ({ principal, admission, params, query, body, reply }) => {
      const token = requireProjectToken(principal);
      const name = query.name ?? params.machineID;
      const agentID = await registrations.findOrRegister(token, params.machineID, name);
      return answerReports(reply, body, await agentErrors.report(admission, agentID, textsOf(body.body)));
    },
    { readBody, bodyRoom },
  );

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

interface ReportRouteParts {
  readonly validators: BodyValidators;
  readonly logger: FastifyBaseLogger;
}

function createReadBody(validators: BodyValidators, refusedReports: RefusedReports) {
  const validate = validators.compile(routes.createAgentError.body?.schema ?? {});
  return (
    body: unknown,
    request: FastifyRequest,
    { truncate, partial, text_field: textField }: QueryOf<typeof routes.createAgentError>,
  ): Reports => {
    const reports = readReports(body, {
      mediaType: mediaTypeOf(request.headers),
      isCut: truncate === true,
      isPartial: partial === true,
      textField,
      validate,
    });
    const [first] = reports.refused;
    if (first !== undefined) {
      refusedReports.note(request, reports);
      if (textsOf(reports.body).length === 0) throw first.refusal;
    }
    return reports;
  };
}

function mediaTypeOf({ 'content-type': contentType = '' }: FastifyRequest['headers']): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function answerReports(
  reply: FastifyReply,
  { body, refused }: Reports,
  accepted: readonly AcceptedReport[],
): JsonText {
  reply.header('Muster-Agent-Error', outcomeOf(accepted));
  if (refused.length > 0) reply.header('Muster-Refused', String(refused.length));
  if (wantsNoResults(reply.request.headers)) {
    reply.header(noResultsHeader.name, noResultsHeader.value);
    return new JsonText('');
  }
  const refusals = refused.map(({ index, refusal }) => ({
    index,
    json: JSON.stringify(toProblem(refusal.code, reply.request.id, refusal.detail, refusal.fields?.slice())),
  }));
  return new JsonText(writeResults(body, accepted, refusals));
}
