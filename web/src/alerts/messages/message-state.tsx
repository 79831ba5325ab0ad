import type { AlertDelivery } from '@muster/client';
import { StatusBadge, type StatusTone } from '../../parts/status-badge.tsx';
import { alertsTexts } from '../../texts/alerts.ts';

const tones: Readonly<Record<AlertDelivery['state'], StatusTone>> = {
  waiting: 'warning',
  delivered: 'good',
  failed: 'bad',
};

export function MessageState({ state }: Pick<AlertDelivery, 'state'>) {
  return <StatusBadge tone={tones[state]} text={alertsTexts.states[state]} />;
}
