import { type Actor, type AgentError, type CreateAgentError, routes } from '@muster/contract';
import type { FastifyReply } from 'fastify';
import type { AgentService } from '../agents/agent-service.ts';
import { parseTimestamp, toNullableTimestamp, toTimestamp } from '../clock.ts';
import { answerPage, JsonText, pageOf, type RouteMounter } from '../http/mount-route.ts';
import { invalidParameter } from '../http/parse-query.ts';
import { requireProjectToken } from '../principal.ts';
import { truncateErrorText } from './agent-error.ts';
import type { AgentErrorService } from './agent-error-service.ts';
import type { AgentErrorRow } from './agent-error-store.ts';
import type { AcceptedReport } from './report.ts';

type ReportBody = CreateAgentError | readonly CreateAgentError[];

export function mountAgentErrorRoutes(
  mounter: RouteMounter,
  agentErrors: AgentErrorService,
  agents: AgentService,
): void {
  mounter.mount(
    routes.createAgentError,
    async ({ admission, params, body, reply }) =>
      answerReports(reply, body, await agentErrors.report(admission, params.agentID, textsOf(body))),
    { prepareBody: takeTexts, provisional: true },
  );

  mounter.mount(
    routes.createMachineError,
    async ({ principal, admission, params, query, body, reply }) => {
      const token = requireProjectToken(principal);
      const agentID = await agents.findOrRegister(token, params.machineID, query.name ?? params.machineID);
      return answerReports(reply, body, await agentErrors.report(admission, agentID, textsOf(body)));
    },
    { prepareBody: takeTexts },
  );

  mounter.mount(routes.listAgentErrors, async (call) => {
    const { agentID } = call.params;
    const list = `errors of agent ${agentID}`;
    const filter = { dismissed: call.query.dismissed };
    const page = await agentErrors.listOfAgent(call.principal, agentID, filter, pageOf(list, call));
    return answerPage(list, call, page, toAgentError);
  });

  mounter.mount(routes.listProjectErrors, async (call) => {
    const { projectID } = call.params;
    const { dismissed, q: text, agent_id: agentID, fleet_id: fleetID } = call.query;
    const since = readTime('since', call.query.since);
    const until = readTime('until', call.query.until);
    const filter = { projectID, dismissed, text, agentID, fleetID, since, until };
    const list = `errors of project ${projectID}`;
    const page = await agentErrors.listOfProject(call.principal, filter, pageOf(list, call));
    return answerPage(list, call, page, toAgentError);
  });

  mounter.mount(routes.dismissAgentError, async ({ principal, params, body }) => ({
    dismissedAt: toTimestamp(await agentErrors.dismiss(principal, params.agentErrorID, body.reason)),
  }));

  mounter.mount(routes.reopenAgentError, async ({ principal, params }) =>
    toAgentError(await agentErrors.reopen(principal, params.agentErrorID)),
  );
}

function textsOf(body: ReportBody): string[] {
  return 'error' in body ? [body.error] : body.map(({ error }) => error);
}

/**
 * Takes nothing of a report but its text, so that whatever else an agent adds is ignored and not validated; cut
 * where `?truncate=true` asks for it. What is not a text is left to validation.
 */
function takeTexts(body: unknown, { truncate }: Readonly<Record<string, unknown>>): unknown {
  const isCut = truncate === true;
  return Array.isArray(body) ? body.map((report) => takeText(report, isCut)) : takeText(body, isCut);
}

function takeText(report: unknown, isCut: boolean): unknown {
  if (typeof report !== 'object' || report === null || !('error' in report)) return report;
  const { error } = report;
  // Halves of surrogate pairs are refused later, and must not be cut away before.
  return {
    error: isCut && typeof error === 'string' && error.isWellFormed() ? truncateErrorText(error) : error,
  };
}

/** Written by hand: ids and times need no escaping, and this is the answer that a storm gets. */
function answerReports(reply: FastifyReply, body: ReportBody, accepted: readonly AcceptedReport[]): JsonText {
  const hasNew = accepted.some(({ kind }) => kind === 'created');
  reply.header('Muster-Agent-Error', hasNew ? 'created' : 'ignored');
  const results = accepted.map(
    ({ id, createdAt }) => `{"id":"${id}","createdAt":"${toTimestamp(createdAt)}"}`,
  );
  return new JsonText('error' in body ? results.join() : `[${results.join()}]`);
}

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseTimestamp(text);
  if (milliseconds !== undefined) return milliseconds;
  throw invalidParameter(name, 'must be an ISO 8601 time with its zone, such as 2026-01-31T00:00:00Z');
}

function toAgentError(row: AgentErrorRow): AgentError {
  return {
    id: row.id,
    agentID: row.agent_id,
    error: row.error,
    dismissedAt: toNullableTimestamp(row.dismissed_at),
    dismissReason: row.dismiss_reason,
    createdAt: toTimestamp(row.created_at),
    dismissedBy:
      row.dismissed_by_kind === null
        ? null
        : { kind: row.dismissed_by_kind as Actor['kind'], id: row.dismissed_by_id }, // written by the service alone
    occurrences: row.occurrences,
    lastSeenAt: toTimestamp(row.last_seen_at),
    configID: row.config_id,
  };
}
