import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { reportedFleetsQuery } from '../agents/agent-queries.ts';
import { NameText } from '../parts/name-text.tsx';
import { useMay } from '../session/use-may.ts';
import { fleetsTexts } from '../texts/fleets.ts';
import type { ListedFleet } from './fleets-query.ts';

interface ReportedFleetsProps {
  readonly projectID: string;
  /** Undefined: they are not known yet. */
  readonly served: readonly ListedFleet[] | undefined;
}

/** The fleets by which causes and agents can be filtered too, although they are not in the list. Nothing if there is none. */
export function ReportedFleets({ projectID, served }: ReportedFleetsProps) {
  const may = useMay(projectID)('read:agent');
  const { data } = useQuery({ ...reportedFleetsQuery(projectID), enabled: may });
  const others = data?.fleets.filter(({ id }) => served?.every((fleet) => fleet.id !== id) ?? false) ?? [];
  if (others.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {fleetsTexts.reported}{' '}
      {others.map(({ id, name, agentsCount }, place) => (
        <Fragment key={id}>
          {place > 0 && ', '}
          <Link to="/projects/$projectID/agents" params={{ projectID }} search={{ fleet: id }}>
            <NameText text={name ?? id} />
          </Link>{' '}
          ({fleetsTexts.agentsOf(agentsCount)})
        </Fragment>
      ))}
    </Text>
  );
}
