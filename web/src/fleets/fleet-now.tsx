import { Moment } from '../parts/moment.tsx';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { fleetsTexts } from '../texts/fleets.ts';
import type { ListedFleet } from './fleets-query.ts';
import type { FleetLine, FleetState } from './who-runs-what.ts';

const tones: Readonly<Record<FleetState, StatusTone>> = {
  drifted: 'bad',
  rejected: 'bad',
  changing: 'accent',
  unknown: 'unknown',
  same: 'good',
  empty: 'quiet',
  unserved: 'quiet',
};

type Line = FleetLine<Pick<ListedFleet, 'currentVersion'>>;

/** What a fleet is about now, in a few words. */
export function FleetNow({ line }: { readonly line: Line }) {
  return <StatusBadge tone={tones[line.state]} text={wordsOf(line)} />;
}

function wordsOf({ fleet: { currentVersion }, who, state }: Line): string {
  const { states } = fleetsTexts;
  const number = currentVersion?.number;
  switch (state) {
    case 'drifted':
      return states.drifted(who.driftedCount);
    case 'rejected':
      return states.rejected(who.rejectedCount, number);
    case 'changing':
      return states.changing(who.servedCount, who.agentsCount, number);
    case 'unknown':
      return states.unknown(who.unknownCount);
    case 'same':
      return states.same(who.agentsCount, number);
    default:
      return states[state];
  }
}

/** Since when its version is served. */
export function ServedSince({ fleet: { currentVersion } }: Pick<Line, 'fleet'>) {
  if (currentVersion === null) return null;
  return (
    <>
      {fleetsTexts.served} {fleetsTexts.since} <Moment at={currentVersion.publishedAt} />
    </>
  );
}
