import { useNetwork } from '@mantine/hooks';
import { Moment } from '../parts/moment.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { useTime } from '../parts/use-time.ts';
import { liveTexts } from '../texts/live.ts';
import { useLive } from './live-project.tsx';
import { useUnreadSince } from './unread-since.ts';

/** Whether the screens are current, at the end of the navigation. */
export function LiveMark({ className }: { readonly className: string | undefined }) {
  const { state, currentAt } = useLive();
  const time = useTime();
  const { online } = useNetwork();
  const unreadSince = useUnreadSince();
  const isConnected = state === 'open' && online;
  const isLive = isConnected && unreadSince === undefined;
  if (state === undefined || state === 'opening') return null;
  return (
    <p className={className}>
      <StatusBadge
        tone={isLive ? 'good' : 'warning'}
        text={
          <span>
            {isLive ? `${liveTexts.isLive}, ` : `${isConnected ? liveTexts.isUnread : liveTexts.isNotLive} `}
            <Moment
              at={
                isLive ? new Date(time).toISOString() : ((isConnected ? unreadSince : undefined) ?? currentAt)
              }
            />
          </span>
        }
      />
    </p>
  );
}
