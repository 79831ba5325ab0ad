import { type FleetSecret, type FleetVariable, routes } from '@muster/contract';
import { toTimestamp } from '../../../foundation/clock.ts';
import { answerPage, pageOf, type RouteMounter } from '../../../foundation/http/mount-route.ts';
import { BodyRoom } from '../../../foundation/http/overload/body-room.ts';
import { toActor } from '../to-fleet.ts';
import type { FleetValueService, ListedSecret, ListedVariable } from './fleet-value-service.ts';

const bodyRoomLimits = { bytes: 16 * 1024 * 1024, bytesOfProject: 8 * 1024 * 1024 };

export function mountFleetValueRoutes(mounter: RouteMounter, values: FleetValueService): void {
  const bodyRoom = new BodyRoom(bodyRoomLimits);

  mounter.mount(routes.listFleetVariables, async (call) => {
    const { fleetID } = call.params;
    const { name } = call.query;
    const list = `variables of ${fleetID}`;
    const page = await values.listVariables(call.principal, fleetID, name, pageOf(list, call));
    return answerPage(list, call, page, toFleetVariable);
  });

  mounter.mount(
    routes.updateFleetVariables,
    async ({ principal, params, body }) => ({
      changedCount: await values.updateVariables(principal, params.fleetID, body),
    }),
    { bodyRoom },
  );

  mounter.mount(routes.listFleetSecrets, async ({ principal, params }) => ({
    secrets: (await values.listSecrets(principal, params.fleetID)).map(toFleetSecret),
  }));

  mounter.mount(
    routes.updateFleetSecrets,
    async ({ principal, params, body }) => ({
      changedCount: await values.updateSecrets(principal, params.fleetID, body),
    }),
    { bodyRoom },
  );
}

function toFleetVariable(row: ListedVariable): FleetVariable {
  const { id, name, value, subject_kind, subject, agentName, isUsed, updated_at } = row;
  return {
    id,
    name,
    value,
    tag: subject_kind === 'tag' ? subject : null,
    agentID: subject_kind === 'agent' ? subject : null,
    agentName,
    isUsed,
    updatedAt: toTimestamp(updated_at),
    updatedBy: toActor({
      created_by_kind: row.updated_by_kind,
      created_by_id: row.updated_by_id,
      created_by_name: row.updated_by_name,
    }),
  };
}

function toFleetSecret(row: ListedSecret): FleetSecret {
  return {
    name: row.name,
    isUsed: row.isUsed,
    updatedAt: toTimestamp(row.created_at),
    updatedBy: toActor(row),
  };
}
