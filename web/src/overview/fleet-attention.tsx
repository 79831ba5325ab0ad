import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { versionCountsQuery } from '../fleets/fleet-queries.ts';
import type { ListedFleet } from '../fleets/fleets-query.ts';
import { fleetLines } from '../fleets/who-runs-what.ts';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { incompleteRolloutsQuery } from '../rollouts/upcoming-queries.ts';
import { fleetsTexts } from '../texts/fleets.ts';
import { overviewTexts } from '../texts/overview.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { Item } from './attention-item.tsx';
import { AttentionList, type AttentionListProps } from './attention-list.tsx';
import { lastFailures } from './last-failures.ts';

interface FleetAttentionProps {
  readonly projectID: string;
  readonly fleets: readonly ListedFleet[];
  readonly list: AttentionListProps;
}

/** The list, with agents that run something which their fleet did not serve, and rollouts that stopped by themselves. */
export function FleetAttention({ projectID, fleets, list }: FleetAttentionProps) {
  const counts = useQuery(versionCountsQuery(projectID));
  const rollouts = useQuery(incompleteRolloutsQuery(projectID));
  const fleetName = (id: string) => fleets.find((fleet) => fleet.id === id)?.name ?? id;
  const drifted = fleetLines(fleets, counts.data ?? [])
    .filter(({ who }) => who.driftedCount > 0)
    .map(({ fleet: { id, name }, who: { driftedCount } }) => ({
      size: driftedCount,
      item: (
        <Item
          key={id}
          tone="bad"
          title={
            <Link to="/projects/$projectID/fleets/$fleetID" params={{ projectID, fleetID: id }}>
              {overviewTexts.agents(driftedCount)} {fleetsTexts.of} <NameText text={name} />{' '}
              {fleetsTexts.runOther(driftedCount)}
            </Link>
          }
        >
          {fleetsTexts.driftedFiles}
        </Item>
      ),
    }));
  const stopped = lastFailures(rollouts.data ?? [], fleets).map(
    ({ id: rolloutID, fleetID, to, from, state, endedAt, startedAt, evidence, stages }) => (
      <Item
        key={rolloutID}
        tone="warning"
        title={
          <Link
            to="/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID"
            params={{ projectID, fleetID, rolloutID }}
          >
            {rolloutsTexts.stoppedVersion(to.number)} <NameText text={fleetName(fleetID)} />{' '}
            {rolloutsTexts.at} <Moment at={evidence?.at ?? endedAt ?? startedAt} />
          </Link>
        }
      >
        {rolloutsTexts.reachedOf(
          evidence?.updatedCount ?? 0,
          stages.reduce((sum, { agentsCount }) => sum + agentsCount, 0),
        )}{' '}
        {state === 'reverted' && rolloutsTexts.areBackOn(from.number)}
      </Item>
    ),
  );
  return (
    <AttentionList {...list} bySize={[...list.bySize, ...drifted]} others={[...stopped, ...list.others]} />
  );
}
