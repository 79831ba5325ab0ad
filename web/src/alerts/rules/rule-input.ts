import type { AlertRule } from '@muster/client';
import type { AlertRuleKind, CreateAlertRule } from '@muster/contract';
import { percentOf } from './describe-rule.ts';

/** A rule as a person fills it in. Numbers are empty texts until they are given. */
export interface RuleInput {
  readonly kind: AlertRuleKind;
  readonly name: string;
  readonly agents: number | string;
  readonly percent: number | string;
  readonly windowMinutes: number | string;
  readonly days: number | string;
  /** Undefined: all channels. */
  readonly channelIDs: readonly string[] | undefined;
  readonly cooldownSeconds: number;
}

export const newRule: RuleInput = {
  kind: 'new_group',
  name: '',
  agents: '',
  percent: 10,
  windowMinutes: 60,
  days: 7,
  channelIDs: undefined,
  cooldownSeconds: 3_600,
};

export function inputOf(rule: AlertRule): RuleInput {
  return {
    kind: rule.kind,
    name: rule.name,
    agents: rule.agents ?? '',
    percent: rule.share === null ? '' : percentOf(rule.share),
    windowMinutes: Math.round((rule.windowSeconds ?? 3_600) / 60),
    days: rule.days ?? 7,
    channelIDs: rule.channelIDs ?? undefined,
    cooldownSeconds: rule.cooldownSeconds,
  };
}

/** The fields that rules of a kind have. What tells of each event has no pause. */
export const fieldsOf: Readonly<Record<AlertRuleKind, readonly ('many' | 'window' | 'days' | 'pause')[]>> = {
  new_group: ['pause'],
  regression: ['pause'],
  widespread_group: ['many', 'window', 'pause'],
  agents_offline: ['many', 'pause'],
  core_instance_unreachable: ['pause'],
  rollout_stopped: [],
  token_expiring: ['days', 'pause'],
  wildcard_token: [],
  member_added: [],
};

/** What is sent for it; undefined while something is missing. */
export function ruleBody(input: RuleInput): CreateAlertRule | undefined {
  const fields = fieldsOf[input.kind];
  const agents = numberOf(input.agents);
  const percent = numberOf(input.percent);
  const windowMinutes = numberOf(input.windowMinutes);
  const days = numberOf(input.days);
  if (fields.includes('many') && agents === null && percent === null) return undefined;
  if (fields.includes('window') && windowMinutes === null) return undefined;
  if (fields.includes('days') && days === null) return undefined;
  const name = input.name.trim();
  return {
    kind: input.kind,
    ...(name === '' ? {} : { name }),
    ...(fields.includes('many') ? { agents, share: percent === null ? null : percent / 100 } : {}),
    ...(fields.includes('window') && windowMinutes !== null ? { windowSeconds: windowMinutes * 60 } : {}),
    ...(fields.includes('days') ? { days } : {}),
    channelIDs: input.channelIDs === undefined ? null : [...input.channelIDs],
    ...(fields.includes('pause') ? { cooldownSeconds: input.cooldownSeconds } : {}),
  };
}

function numberOf(value: number | string): number | null {
  return typeof value === 'number' ? value : null;
}
