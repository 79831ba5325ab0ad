import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { RelativeTime } from '../parts/relative-time.tsx';
import { overviewTexts } from '../texts/overview.ts';
import { noteVisit } from './last-visit.ts';
import { changesQuery } from './overview-queries.ts';

/** What is new for somebody who was here before. */
export function SinceLastVisit({ projectID }: { readonly projectID: string }) {
  const [openedAt] = useState(() => Date.now());
  /** Null: this is the first visit. */
  const [previousAt, setPreviousAt] = useState<number | null>();
  useEffect(() => {
    setPreviousAt(noteVisit(localStorage, projectID, openedAt) ?? null);
    const onHidden = () => void noteVisit(localStorage, projectID, Date.now());
    window.addEventListener('pagehide', onHidden);
    return () => window.removeEventListener('pagehide', onHidden);
  }, [projectID, openedAt]);
  const { data } = useQuery({
    ...changesQuery(projectID, previousAt ?? 0, openedAt),
    enabled: typeof previousAt === 'number',
  });
  if (previousAt === null) return null;
  // A line of the same height, so that nothing moves when it arrives.
  if (previousAt === undefined || data === undefined) return '\u00a0';
  return (
    <>
      {overviewTexts.sinceLastVisit} (<RelativeTime at={new Date(previousAt).toISOString()} />
      ): {overviewTexts.changes(data)}
    </>
  );
}
