import {
  type Actor,
  type AlertChannel,
  type AlertChannelKind,
  type QuietHours,
  routes,
} from '@muster/contract';
import { toNullableTimestamp, toTimestamp } from '../../../foundation/clock.ts';
import { answerPage, pageOf, type RouteMounter } from '../../../foundation/http/mount-route.ts';
import { toDelivery } from '../outbox/delivery-routes.ts';
import type { ChannelService } from './channel-service.ts';
import type { ChannelRow } from './channel-store.ts';

export function mountAlertChannelRoutes(mounter: RouteMounter, channels: ChannelService): void {
  mounter.mount(routes.listAlertChannels, async (call) => {
    const { projectID } = call.params;
    const list = `alert channels of project ${projectID}`;
    const page = await channels.list(call.principal, projectID, pageOf(list, call));
    return answerPage(list, call, page, toChannel);
  });

  mounter.mount(routes.createAlertChannel, async ({ principal, params, body }) => {
    const { row, secret } = await channels.create(principal, params.projectID, body);
    return { ...toChannel(row), ...(secret !== undefined && { secret: secret.reveal() }) };
  });

  mounter.mount(routes.getAlertChannel, async ({ principal, params }) =>
    toChannel(await channels.find(principal, params.alertChannelID)),
  );

  mounter.mount(routes.updateAlertChannel, async ({ principal, params, body }) =>
    toChannel(await channels.update(principal, params.alertChannelID, body)),
  );

  mounter.mount(routes.deleteAlertChannel, async ({ principal, params }) => {
    await channels.delete(principal, params.alertChannelID);
    return undefined;
  });

  mounter.mount(routes.rotateAlertChannel, async ({ principal, params, body }) => {
    const { secret, endsAt } = await channels.rotate(principal, params.alertChannelID, body.graceSeconds);
    return { secret: secret.reveal(), earlierSecretEndsAt: toTimestamp(endsAt) };
  });

  mounter.mount(routes.testAlertChannel, async ({ principal, params }) =>
    toDelivery(await channels.test(principal, params.alertChannelID)),
  );
}

function toChannel(row: ChannelRow): AlertChannel {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind as AlertChannelKind, // written by the service alone
    target: row.target,
    quietHours: row.quiet_hours === null ? null : (JSON.parse(row.quiet_hours) as QuietHours), // written by the service alone
    status: row.disabled_at !== null ? 'disabled' : row.failing_since !== null ? 'failing' : 'active',
    failingSince: toNullableTimestamp(row.failing_since),
    lastFailure: row.last_failure,
    lastDeliveredAt: toNullableTimestamp(row.last_delivered_at),
    disabledAt: toNullableTimestamp(row.disabled_at),
    disabledReason: row.disabled_reason,
    createdAt: toTimestamp(row.created_at),
    createdBy: {
      kind: row.created_by_kind as Actor['kind'], // written by the service alone
      id: row.created_by_id,
      name: row.created_by_name,
    },
  };
}
