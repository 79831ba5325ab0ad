import { type FreezeWindows, routes } from '@muster/contract';
import { toTimestamp } from '../../../foundation/clock.ts';
import { answerPage, pageOf, type RouteMounter } from '../../../foundation/http/mount-route.ts';
import type { FreezeService } from './freeze-service.ts';
import type { Freeze } from './freeze-windows.ts';
import type { RolloutService } from './rollout-service.ts';
import { toRollout, toRolloutAgent } from './to-rollout.ts';

export function mountRolloutRoutes(
  mounter: RouteMounter,
  rollouts: RolloutService,
  freezes: FreezeService,
): void {
  mounter.mount(routes.startRollout, ({ principal, params, body }) =>
    rollouts.start(principal, params.fleetID, body),
  );

  mounter.mount(routes.listRollouts, async (call) => {
    const { projectID } = call.params;
    const filter = {
      projectID,
      fleetID: call.query.fleet_id?.toLowerCase(),
      groupID: call.query.group_id?.toLowerCase(),
      isIncomplete: call.query.incomplete === true,
    };
    const list = `rollouts of ${projectID}`;
    const page = await rollouts.list(call.principal, filter, pageOf(list, call));
    return answerPage(list, call, { ...page, rows: page.rows.map(withID) }, toRollout);
  });

  mounter.mount(routes.getRollout, async ({ principal, params }) =>
    toRollout(await rollouts.find(principal, params.rolloutID)),
  );

  mounter.mount(routes.listRolloutAgents, async (call) => {
    const { rolloutID } = call.params;
    const list = `agents of rollout ${rolloutID}`;
    const { row, page } = await rollouts.listAgents(call.principal, rolloutID, pageOf(list, call));
    return answerPage(list, call, page, (agent) => toRolloutAgent(row, agent));
  });

  mounter.mount(routes.getFreezeWindows, async ({ principal, params }) =>
    toFreezeWindows(await freezes.find(principal, params.projectID)),
  );

  mounter.mount(routes.updateFreezeWindows, async ({ principal, params, body }) =>
    toFreezeWindows(await freezes.update(principal, params.projectID, body)),
  );

  for (const [action, route] of [
    ['pause', routes.pauseRollout],
    ['resume', routes.resumeRollout],
    ['approve', routes.approveRollout],
    ['stop', routes.stopRollout],
    ['revert', routes.revertRollout],
    ['promote', routes.promoteRollout],
  ] as const) {
    mounter.mount(route, async ({ principal, params, body }) =>
      toRollout(await rollouts.act(principal, params.rolloutID, action, body)),
    );
  }
}

function toFreezeWindows({
  freezeWindows,
  freeze,
  nextFreeze,
}: Awaited<ReturnType<FreezeService['find']>>): FreezeWindows {
  const endOf = ({ endsAt }: Freeze) => (endsAt === undefined ? null : toTimestamp(endsAt));
  return {
    freezeWindows: [...freezeWindows],
    freeze: freeze ? { name: freeze.name, endsAt: endOf(freeze) } : null,
    nextFreeze: nextFreeze
      ? { name: nextFreeze.name, startsAt: toTimestamp(nextFreeze.startsAt), endsAt: endOf(nextFreeze) }
      : null,
  };
}

/** A page is continued after the id of its last row. */
function withID<Described extends { readonly row: { readonly id: string } }>(described: Described) {
  return { ...described, id: described.row.id };
}
