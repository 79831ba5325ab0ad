import type { AlertRule } from '@muster/client';
import { alertsTexts } from '../../texts/alerts.ts';

/** When a rule tells, in a sentence. */
export function describeRule(
  rule: Pick<AlertRule, 'kind' | 'agents' | 'share' | 'windowSeconds' | 'days'>,
): string {
  const { when } = alertsTexts;
  switch (rule.kind) {
    case 'widespread_group':
      return when.widespread_group(many(rule), duration(rule.windowSeconds ?? 3_600));
    case 'agents_offline':
      return when.agents_offline(many(rule));
    case 'token_expiring':
      return when.token_expiring(rule.days ?? 7);
    default:
      return when[rule.kind];
  }
}

function many({ agents, share }: Pick<AlertRule, 'agents' | 'share'>): string {
  const parts = [
    ...(agents === null ? [] : [alertsTexts.atLeastAgents(agents)]),
    ...(share === null ? [] : [alertsTexts.atLeastShare(percentOf(share))]),
  ];
  return parts.join(alertsTexts.or);
}

/** A share of 1 as per cent, without what floating point adds. */
export function percentOf(share: number): number {
  return Math.round(share * 100_000) / 1_000;
}

function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes % 60 === 0 ? alertsTexts.hours(minutes / 60) : alertsTexts.minutes(minutes);
}
