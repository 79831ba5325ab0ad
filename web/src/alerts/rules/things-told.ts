import type { AlertRule } from '@muster/client';
import { type AlertRuleKind, alertRuleKinds } from '@muster/contract';

/** Of what a channel is told, by the rules that are on. */
export function thingsTold(
  channelID: string,
  rules: readonly Pick<AlertRule, 'kind' | 'enabled' | 'channelIDs'>[],
): readonly AlertRuleKind[] {
  return alertRuleKinds.filter((kind) =>
    rules.some(
      (rule) =>
        rule.kind === kind &&
        rule.enabled &&
        (rule.channelIDs === null || rule.channelIDs.includes(channelID)),
    ),
  );
}
