import type { ProjectEvent } from '@muster/client';

/** What a query reads, as far as events tell that it has changed. */
export type Topic = 'agents' | 'causes' | 'dismissals' | 'tokens' | 'members';

export const topics: readonly Topic[] = ['agents', 'causes', 'dismissals', 'tokens', 'members'];

/** What has changed when an event arrives. A newer service may send types that are not known here: they change nothing. */
export function topicsOf({ type }: ProjectEvent): readonly Topic[] {
  if (type === 'reset') return topics;
  const [subject] = type.split('.');
  return changedBy[subject ?? ''] ?? [];
}

const changedBy: Readonly<Record<string, readonly Topic[]>> = {
  agent: ['agents'],
  agent_error: ['causes'],
  agent_error_group: ['causes'],
  dismissal: ['dismissals', 'causes'],
  token: ['tokens'],
  member: ['members'],
};
