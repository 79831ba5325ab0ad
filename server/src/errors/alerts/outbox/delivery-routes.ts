import { type AlertDelivery, type AlertDeliveryState, type AlertMessageKind, routes } from '@muster/contract';
import { toNullableTimestamp, toTimestamp } from '../../../foundation/clock.ts';
import { answerPage, pageOf, type RouteMounter } from '../../../foundation/http/mount-route.ts';
import type { DeliveryService } from './delivery-service.ts';
import type { DeliveryRow } from './delivery-store.ts';

export function mountAlertDeliveryRoutes(mounter: RouteMounter, deliveries: DeliveryService): void {
  mounter.mount(routes.listAlertDeliveries, async (call) => {
    const { projectID } = call.params;
    const { channel_id: channelID, state } = call.query;
    const list = `alert deliveries of project ${projectID} to ${channelID ?? 'all'} in ${state ?? 'any'}`;
    const filter = { projectID, channelID, state };
    const page = await deliveries.list(call.principal, filter, pageOf(list, call));
    return answerPage(list, call, page, toDelivery);
  });
}

export function toDelivery(row: DeliveryRow): AlertDelivery {
  return {
    id: row.id,
    channelID: row.channel_id,
    kind: row.kind as AlertMessageKind, // written by the service alone
    title: row.title,
    state: row.state as AlertDeliveryState, // written by the service alone
    attempts: row.attempts,
    createdAt: toTimestamp(row.created_at),
    lastAttemptAt: toNullableTimestamp(row.last_attempt_at),
    nextAttemptAt: toNullableTimestamp(row.next_attempt_at),
    endedAt: toNullableTimestamp(row.ended_at),
    answerStatus: row.answer_status,
    answer: row.answer,
    failure: row.failure,
    milliseconds: row.milliseconds,
  };
}
