import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { Moment } from '../parts/moment.tsx';
import { liveTexts } from '../texts/live.ts';
import { useLive } from './live-project.tsx';

/** Says when what is shown may be old. It needs no click: it goes as soon as the stream is back. */
export function LiveBanner() {
  const { state, currentAt } = useLive();
  const { online } = useNetwork();
  if (state !== 'cut' && state !== 'refused' && online) return null;
  return (
    <Alert color="yellow" variant="light" role="status" mb="md" p="xs">
      {!online ? (
        liveTexts.offline
      ) : state === 'refused' ? (
        liveTexts.refused
      ) : (
        <>
          <strong>
            {liveTexts.cutSince} <Moment at={currentAt} hasSeconds />.
          </strong>{' '}
          {liveTexts.cut}
        </>
      )}
    </Alert>
  );
}
