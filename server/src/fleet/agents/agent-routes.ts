import { type Agent, type OpenAgentError, routes } from '@muster/contract';
import type { FastifyReply } from 'fastify';
import { toNullableTimestamp, toTimestamp } from '../../foundation/clock.ts';
import { requireProjectToken } from '../../foundation/credentials/principal.ts';
import { senderAddress } from '../../foundation/http/authentication/sender-address.ts';
import { answerPage, pageOf, type RouteMounter } from '../../foundation/http/mount-route.ts';
import { BodyRoom } from '../../foundation/http/overload/body-room.ts';
import { digestToken } from '../../foundation/secret.ts';
import { toAgentFleet } from './agent-fleet.ts';
import type { AgentRowWithFleet, AgentService } from './agent-service.ts';
import type { LeftOut } from './description-limits.ts';
import { describeStatus, type Moment } from './liveness/agent-status.ts';
import type { RegistrationService } from './registration-service.ts';

/** More than for reports, because an agent whose update is refused may not try again. */
const bodyRoomLimits = { bytes: 128 * 1024 * 1024, bytesOfProject: 96 * 1024 * 1024 };

export function mountAgentRoutes(
  mounter: RouteMounter,
  agents: AgentService,
  registrations: RegistrationService,
): void {
  const bodyRoom = new BodyRoom(bodyRoomLimits);

  mounter.mount(
    routes.registerAgent,
    async ({ principal, body, request, reply }) => {
      const agentToken = request.headers['x-agent-token']?.toString();
      const { row, secret, leftOut } = await registrations.register(requireProjectToken(principal), body, {
        address: senderAddress(request),
        proof: agentToken === undefined ? undefined : digestToken(agentToken),
      });
      nameLeftOut(reply, leftOut);
      return { id: row.id, token: secret.reveal(), name: row.name, createdAt: toTimestamp(row.created_at) };
    },
    { bodyRoom },
  );

  mounter.mount(routes.listAgents, async (call) => {
    const { projectID } = call.params;
    const { name, q: text, version, status, tag, fleet_id: fleetID } = call.query;
    const { open_errors: hasOpenError } = call.query;
    const coreInstanceID = call.query.core_instance_id?.toLowerCase();
    const list = `agents of ${projectID}`;
    const page = await agents.list(
      call.principal,
      { projectID, name, text, version, status, tag, fleetID, coreInstanceID, hasOpenError },
      pageOf(list, call),
    );
    const moment = agents.moment();
    const openErrors = await agents.findOpenErrors(call.principal, projectID, page.rows);
    return answerPage(list, call, page, (row) => toAgent(row, moment, openErrors.get(row.id)));
  });

  mounter.mount(routes.getReportedFleets, async ({ principal, params }) => {
    const fleets = await agents.getReportedFleets(principal, params.projectID);
    return { fleets: fleets.map(({ id, name, agents: agentsCount }) => ({ id, name, agentsCount })) };
  });

  mounter.mount(routes.getAgent, async ({ principal, params }) => {
    const { row, rawConfig } = await agents.get(principal, params.agentID);
    const openErrors = await agents.findOpenErrors(principal, row.project_id, [row]);
    return { ...toAgent(row, agents.moment(), openErrors.get(row.id)), rawConfig };
  });

  mounter.mount(
    routes.updateAgent,
    async ({ principal, params, body, reply }) => {
      const agentID = await agents.ownID(principal, params.agentID);
      nameLeftOut(reply, await agents.update(principal, agentID, body));
      return undefined;
    },
    { bodyRoom },
  );

  mounter.mount(routes.releaseAgent, async ({ principal, params }) => {
    await agents.release(principal, params.agentID);
    return undefined;
  });

  mounter.mount(routes.deleteAgent, async ({ principal, params }) => {
    await agents.delete(principal, params.agentID);
    return undefined;
  });

  mounter.mount(routes.listAgentConfigs, async (call) => {
    const { agentID } = call.params;
    const list = `configurations of ${agentID}`;
    const page = await agents.listConfigs(call.principal, agentID, pageOf(list, call));
    return answerPage(list, call, page, ({ id, raw_config, created_at }) => ({
      id,
      rawConfig: raw_config,
      createdAt: toTimestamp(created_at),
    }));
  });

  mounter.mount(
    routes.addAgentMetrics,
    async ({ principal, params, body }) => {
      const agentID = await agents.ownID(principal, params.agentID);
      // A missing body arrives as undefined, which is not valid metrics either.
      const samples = await agents.addMetrics(principal, agentID, body ?? new Uint8Array());
      return { totalInserted: samples };
    },
    { bodyRoom },
  );
}

function nameLeftOut(reply: FastifyReply, leftOut: readonly LeftOut[]): void {
  if (leftOut.length > 0) reply.header('Muster-Left-Out', leftOut.join(', '));
}

/** @param openError undefined: it has none, or the caller may not read errors */
function toAgent(row: AgentRowWithFleet, moment: Moment, openError: OpenAgentError | undefined): Agent {
  const { status, since, reason } = describeStatus(row, moment);
  return {
    id: row.id,
    projectID: row.project_id,
    name: row.name,
    machineID: row.machine_id,
    type: row.type,
    version: row.version,
    edition: row.edition,
    os: row.os,
    arch: row.arch,
    // Only the service writes it, from bodies with these types.
    flags: JSON.parse(row.flags) as string[],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    tags: JSON.parse(row.tags) as string[],
    fleetID: row.fleet_id,
    status,
    statusSince: toTimestamp(since),
    statusReason: reason,
    openErrorsCount: row.open_errors,
    openError: openError ?? null,
    configID: row.config_id,
    fleet: toAgentFleet(row.fleet, row.last_seen_at),
    lastSeenAt: toTimestamp(row.last_seen_at),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    reregisteredAt: toNullableTimestamp(row.reregistered_at),
    reregisteredFrom: row.reregistered_from,
    releasedAt: toNullableTimestamp(row.released_at),
    coreInstanceID: row.core_instance_id,
  };
}
