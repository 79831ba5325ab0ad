import type { StartRollout } from '@muster/client';
import { defaultRolloutStages } from '@muster/contract';

/** What somebody chooses before a rollout starts. */
export interface RolloutInput {
  readonly how: 'inStages' | 'allAtOnce';
  /** Empty: any one agent is the first. */
  readonly canaryTag: string;
  readonly isApproved: boolean;
  /** Undefined: all agents of a stage at once. */
  readonly maxPerMinute: number | undefined;
  readonly despiteBad: boolean;
  readonly despiteFreeze: boolean;
}

export const newRollout: RolloutInput = {
  how: 'inStages',
  canaryTag: '',
  isApproved: false,
  maxPerMinute: undefined,
  despiteBad: false,
  despiteFreeze: false,
};

export function rolloutBody(versionID: string, input: RolloutInput): Omit<StartRollout, 'reason'> {
  const { how, maxPerMinute, despiteBad, despiteFreeze } = input;
  const isStaged = how === 'inStages';
  return {
    versionID,
    stages: isStaged ? stagesOf(input.canaryTag.trim()) : [{ agents: '100%', soakSeconds: 600 }],
    ...(isStaged && input.isApproved ? { approval: 'each_stage' } : {}),
    ...(maxPerMinute === undefined ? {} : { maxPerMinute }),
    ...(despiteBad ? { despiteBad } : {}),
    ...(despiteFreeze ? { despiteFreeze } : {}),
  };
}

function stagesOf(tag: string): StartRollout['stages'] {
  const [first, ...others] = defaultRolloutStages;
  return [tag === '' ? first : { ...first, agents: { tag } }, ...others];
}
