import type { AlertRuleKind } from '@muster/contract';

/** What a rule compares with. Which of them a rule has depends on its kind. */
export interface RuleConditions {
  readonly agents: number | null;
  readonly share: number | null;
  readonly windowSeconds: number | null;
  readonly days: number | null;
}

/** A rule as it is evaluated. */
export interface Rule extends RuleConditions {
  readonly id: string;
  readonly projectID: string;
  readonly name: string;
  readonly kind: AlertRuleKind;
  /** Undefined: all channels of the project. */
  readonly channelIDs: readonly string[] | undefined;
  readonly cooldownMilliseconds: number;
  readonly isEnabled: boolean;
  /** Events from before are not looked at. */
  readonly createdAt: number;
}

/** True if so many agents of a project are enough for the rule. Zero is never enough. */
export function reaches({ agents, share }: RuleConditions, count: number, ofAgents: number): boolean {
  if (count === 0) return false;
  return (agents !== null && count >= agents) || (share !== null && count >= share * ofAgents);
}
