import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { Moment } from '../parts/moment.tsx';
import { liveTexts } from '../texts/live.ts';
import { useLive } from './live-project.tsx';
import { useUnreadSince } from './unread-since.ts';

/** Says when what is shown may be old. It needs no click: it goes as soon as the stream is back, and all is read again. */
export function LiveBanner() {
  const { state, currentAt } = useLive();
  const { online } = useNetwork();
  const unreadSince = useUnreadSince();
  const isCut = state === 'cut';
  if (!isCut && state !== 'refused' && online && unreadSince === undefined) return null;
  return (
    <Alert color="yellow" variant="light" role="status" mb="md" p="xs">
      {!online ? (
        liveTexts.offline
      ) : state === 'refused' ? (
        liveTexts.refused
      ) : (
        <>
          <strong>
            {isCut ? liveTexts.cutSince : liveTexts.unreadSince}{' '}
            <Moment at={isCut ? currentAt : (unreadSince ?? currentAt)} hasSeconds />.
          </strong>{' '}
          {isCut ? liveTexts.cut : liveTexts.unread}
        </>
      )}
    </Alert>
  );
}
