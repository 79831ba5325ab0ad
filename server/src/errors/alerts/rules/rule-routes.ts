import { type Actor, type AlertRule, routes } from '@muster/contract';
import { toTimestamp } from '../../../foundation/clock.ts';
import { answerPage, pageOf, type RouteMounter } from '../../../foundation/http/mount-route.ts';
import { toRule } from './read-rule.ts';
import type { RuleService } from './rule-service.ts';
import type { RuleRow } from './rule-store.ts';

export function mountAlertRuleRoutes(mounter: RouteMounter, rules: RuleService): void {
  mounter.mount(routes.listAlertRules, async (call) => {
    const { projectID } = call.params;
    const list = `alert rules of project ${projectID}`;
    return answerPage(list, call, await rules.list(call.principal, projectID, pageOf(list, call)), toAnswer);
  });

  mounter.mount(routes.createAlertRule, async ({ principal, params, body }) =>
    toAnswer(await rules.create(principal, params.projectID, body)),
  );

  mounter.mount(routes.getAlertRule, async ({ principal, params }) =>
    toAnswer(await rules.find(principal, params.alertRuleID)),
  );

  mounter.mount(routes.updateAlertRule, async ({ principal, params, body }) =>
    toAnswer(await rules.update(principal, params.alertRuleID, body)),
  );

  mounter.mount(routes.deleteAlertRule, async ({ principal, params }) => {
    await rules.delete(principal, params.alertRuleID);
    return undefined;
  });
}

function toAnswer(row: RuleRow): AlertRule {
  const { agents, share, windowSeconds, days, channelIDs = null, kind, isEnabled } = toRule(row);
  return {
    id: row.id,
    name: row.name,
    kind,
    agents,
    share,
    windowSeconds,
    days,
    channelIDs: channelIDs === null ? null : [...channelIDs],
    cooldownSeconds: row.cooldown_seconds,
    enabled: isEnabled,
    createdAt: toTimestamp(row.created_at),
    createdBy: {
      kind: row.created_by_kind as Actor['kind'], // written by the service alone
      id: row.created_by_id,
      name: row.created_by_name,
    },
  };
}
