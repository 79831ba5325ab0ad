import { Readable } from 'node:stream';
import { type AuditChain, auditActions, type QueryOf, routes } from '@muster/contract';
import { invalidParameter } from '@muster/http/requests/parse-query';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import { readTimeParameter } from '../../foundation/http/requests/read-time-parameter.ts';
import { projectOfChain } from '../audit/audit-service.ts';
import type { AuditLogService } from './audit-log-service.ts';
import type { AuditFilter } from './audit-log-store.ts';
import { toAuditEntry } from './to-audit-entry.ts';

export function mountAuditLogRoutes(mounter: RouteMounter, log: AuditLogService): void {
  mounter.mount(routes.listAuditEntries, async (call) => {
    const { projectID } = call.params;
    await log.requireProject(call.principal, projectID);
    const list = `audit log of ${projectID}`;
    const page = await log.list({ chainID: projectID, ...readFilter(call.query) }, pageOf(list, call));
    return answerPage(list, call, page, toAuditEntry);
  });

  mounter.mount(routes.getAuditChain, async ({ principal, params }) => {
    await log.requireProject(principal, params.projectID);
    return log.getChain(params.projectID);
  });

  mounter.mount(routes.exportAuditLog, async ({ principal, params, query }) => {
    await log.requireProject(principal, params.projectID);
    return Readable.from(await log.export(params.projectID, query));
  });

  mounter.mount(routes.listInstallationAuditEntries, async (call) => {
    const filter = { chainID: call.query.project_id?.toLowerCase(), ...readFilter(call.query) };
    const page = await log.list(filter, pageOf('audit log', call));
    return answerPage('audit log', call, page, toAuditEntry);
  });

  mounter.mount(routes.listAuditChains, async (call) => {
    const page = await log.listChains(pageOf('audit chains', call));
    return answerPage('audit chains', call, page, (chain): AuditChain => chain);
  });

  mounter.mount(routes.exportInstallationAuditLog, async ({ query }) => {
    const { project_id: id, after, limit } = query;
    if (id !== undefined) return Readable.from(await log.export(projectOfChain(id.toLowerCase()), query));
    if (after === undefined && limit === undefined) return Readable.from(log.exportAll());
    throw invalidParameter('project_id', 'is missing: `after` and `limit` are of one log');
  });
}

function readFilter(query: QueryOf<typeof routes.listAuditEntries>): Omit<AuditFilter, 'chainID'> {
  return {
    actorID: query.actor_id?.toLowerCase(),
    actions: query.action === undefined ? undefined : readActions(query.action),
    targetID: query.target_id,
    since: readTimeParameter('since', query.since),
    until: readTimeParameter('until', query.until),
  };
}

/** @throws Refusal invalid_query_parameter */
function readActions(text: string): readonly string[] {
  const wanted = auditActions.filter((action) =>
    text.endsWith('.*') ? action.startsWith(text.slice(0, -1)) : action === text,
  );
  if (wanted.length > 0) return wanted;
  throw invalidParameter(
    'action',
    `is '${text}', which is no action. Actions are: ${auditActions.join(', ')}`,
  );
}
