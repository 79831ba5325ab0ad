import { Title } from '@mantine/core';
import type { Rollout } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import type { Column } from '../table/column.ts';
import { DataTable } from '../table/data-table.tsx';
import { useListRows } from '../table/use-list-rows.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { CameWith } from './came-with.tsx';
import { toneOfState } from './rollout-progress.ts';
import { rolloutsQuery } from './rollout-queries.ts';

interface RolloutsSectionProps {
  readonly projectID: string;
  /** Absent: of all fleets. */
  readonly fleetID?: string;
}

/** The rollouts of a project or of one fleet, newest first. Nothing if there was none. */
export function RolloutsSection({ projectID, fleetID }: RolloutsSectionProps) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(rolloutsQuery(projectID, fleetID));
  const { table } = useListRows(query, fleetID ?? projectID, ({ id }) => id);
  const columns = useMemo(() => columnsOf(projectID), [projectID]);
  if (table.rows?.length === 0) return null;
  return (
    <section>
      <Title order={2} mt={fleetID === undefined ? 'xl' : 0} mb="xs">
        {rolloutsTexts.title}
      </Title>
      <DataTable
        {...table}
        label={rolloutsTexts.title}
        columns={columns}
        nameOf={({ to, fleetName }) => rolloutsTexts.name(to.number, fleetName)}
        onOpen={({ id: rolloutID, fleetID: of }) =>
          void navigate({
            to: '/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID',
            params: { projectID, fleetID: of, rolloutID },
          })
        }
        empty={null}
      />
    </section>
  );
}

function columnsOf(projectID: string): readonly Column<Rollout>[] {
  return [
    {
      id: 'version',
      header: rolloutsTexts.version,
      width: 'minmax(0, 2fr)',
      cell: ({ id: rolloutID, to, fleetID, fleetName }) => (
        <Link
          to="/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID"
          params={{ projectID, fleetID, rolloutID }}
          preload={false}
        >
          {rolloutsTexts.name(to.number, fleetName)}
        </Link>
      ),
    },
    {
      id: 'state',
      header: rolloutsTexts.state,
      width: 'minmax(8rem, 2fr)',
      cell: ({ state }) => <StatusBadge tone={toneOfState[state]} text={rolloutsTexts.states[state]} />,
    },
    {
      id: 'came',
      header: rolloutsTexts.came,
      width: 'minmax(0, 3fr)',
      hideBelow: 'md',
      cell: (rollout) => <CameWith projectID={projectID} rollout={rollout} />,
    },
    {
      id: 'reached',
      header: rolloutsTexts.reached,
      width: '6rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ agentsCount: { offered }, evidence }) =>
        rolloutsTexts.agentsOf(Math.max(offered, evidence?.updatedCount ?? 0)),
    },
    {
      id: 'by',
      header: rolloutsTexts.startedBy,
      width: 'minmax(0, 1fr)',
      hideBelow: 'md',
      cell: ({ startedBy: { name } }) => <NameText text={name ?? rolloutsTexts.somebody} />,
    },
    {
      id: 'started',
      header: rolloutsTexts.started,
      width: '7rem',
      align: 'end',
      hideBelow: 'sm',
      cell: ({ startedAt }) => <Moment at={startedAt} />,
    },
  ];
}
