import { routes } from '@muster/contract';
import { toTimestamp } from '../../../foundation/clock.ts';
import { hangUpSignal } from '../../../foundation/http/connections/hang-up-signal.ts';
import type { RouteMounter } from '../../../foundation/http/mount-route.ts';
import type { RulePreviewService } from './rule-preview-service.ts';

export function mountRulePreviewRoutes(mounter: RouteMounter, previews: RulePreviewService): void {
  mounter.mount(routes.previewAlertRule, async ({ principal, params, body, request, reply }) => {
    const hangUp = hangUpSignal(request, reply);
    const preview = await previews.preview(principal, params.projectID, body, hangUp);
    return {
      since: toTimestamp(preview.since),
      until: toTimestamp(preview.until),
      alertsCount: preview.count ?? null,
      messagesCount: preview.messages ?? null,
      alerts: preview.newest.map(({ at, ...alert }) => ({ at: toTimestamp(at), ...alert })),
      appliesNow: preview.appliesNow ?? null,
      limits: [...preview.limits],
    };
  });
}
