import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { liveTexts } from '../texts/live.ts';
import { useLiveState } from './live-project.tsx';

/** Says when what is shown may be old. It needs no click: it goes as soon as the stream is back. */
export function LiveBanner() {
  const state = useLiveState();
  const { online } = useNetwork();
  if (state !== 'cut' && state !== 'refused' && online) return null;
  const text = !online ? liveTexts.offline : state === 'cut' ? liveTexts.cut : liveTexts.refused;
  return (
    <Alert color="yellow" variant="light" role="status" mb="md" p="xs">
      {text}
    </Alert>
  );
}
