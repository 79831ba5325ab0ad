import type { CoreInstance } from '@muster/client';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { sitesTexts } from '../texts/sites.ts';
import { type SiteState, stateOf } from './site-state.ts';

const tones: Readonly<Record<SiteState, StatusTone>> = {
  unreachable: 'bad',
  lagging: 'warning',
  running: 'good',
  waiting: 'quiet',
};

export function SiteStatus({ site }: { readonly site: Pick<CoreInstance, 'status' | 'lagSeconds'> }) {
  const state = stateOf(site);
  return <StatusBadge tone={tones[state]} text={sitesTexts.states[state]} />;
}
