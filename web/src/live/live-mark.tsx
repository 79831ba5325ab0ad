import { useNetwork } from '@mantine/hooks';
import { Moment } from '../parts/moment.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { useTime } from '../parts/use-time.ts';
import { liveTexts } from '../texts/live.ts';
import { useLive } from './live-project.tsx';

/** Whether the screens are current, at the end of the navigation. */
export function LiveMark({ className }: { readonly className: string | undefined }) {
  const { state, currentAt } = useLive();
  const time = useTime();
  const { online } = useNetwork();
  if (state === undefined || state === 'opening') return null;
  const isLive = state === 'open' && online;
  return (
    <p className={className}>
      <StatusBadge
        tone={isLive ? 'good' : 'warning'}
        text={
          <span>
            {isLive ? `${liveTexts.isLive}, ` : `${liveTexts.isNotLive} `}
            <Moment at={isLive ? new Date(time).toISOString() : currentAt} />
          </span>
        }
      />
    </p>
  );
}
