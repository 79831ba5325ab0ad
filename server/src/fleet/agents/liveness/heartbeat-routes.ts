import { routes } from '@muster/contract';
import { takeHeartbeat } from '@muster/http/reports/heartbeat-body';
import { requireProjectToken } from '../../../foundation/credentials/principal.ts';
import type { RouteMounter } from '../../../foundation/http/mount-route.ts';
import type { AgentService } from '../agent-service.ts';
import type { HeartbeatService } from './heartbeat-service.ts';

export function mountHeartbeatRoutes(
  mounter: RouteMounter,
  heartbeats: HeartbeatService,
  agents: Pick<AgentService, 'ownID'>,
): void {
  mounter.mount(
    routes.sendAgentHeartbeat,
    async ({ principal, params, body }) => {
      await heartbeats.beat(principal, await agents.ownID(principal, params.agentID), body);
      return undefined;
    },
    { prepareBody: takeHeartbeat },
  );

  mounter.mount(
    routes.sendMachineHeartbeat,
    async ({ principal, params, query, body }) => {
      const token = requireProjectToken(principal);
      await heartbeats.beatOfMachine(token, params.machineID, query.name ?? params.machineID, body);
      return undefined;
    },
    { prepareBody: takeHeartbeat },
  );
}
