import type { AlertRuleKind } from '@muster/contract';
import type { Rule, RuleConditions } from './rule-conditions.ts';
import type { RuleRow } from './rule-store.ts';

/** A stored rule as it is evaluated. */
export function toRule(row: RuleRow): Rule {
  const conditions = JSON.parse(row.conditions) as RuleConditions; // written by the service alone
  return {
    ...conditions,
    id: row.id,
    projectID: row.project_id,
    name: row.name,
    kind: row.kind as AlertRuleKind, // written by the service alone
    channelIDs: row.channel_ids === null ? undefined : (JSON.parse(row.channel_ids) as string[]), // written by the service alone
    cooldownMilliseconds: row.cooldown_seconds * 1_000,
    isEnabled: row.is_enabled === 1,
    createdAt: row.created_at,
  };
}
