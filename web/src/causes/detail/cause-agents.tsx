import { Button, Text, Title } from '@mantine/core';
import type { AgentErrorGroupAgent } from '@muster/client';
import { realValuesOf } from '@muster/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatNumber } from '../../parts/amount.ts';
import { ErrorLine } from '../../parts/error-line.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { Column } from '../../table/column.ts';
import { DataTable } from '../../table/data-table.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { causesTexts } from '../../texts/causes.ts';
import { causeAgentsQuery } from '../cause-queries.ts';
import classes from './cause-page.module.css';

interface CauseAgentsProps {
  readonly projectID: string;
  readonly causeID: string;
  readonly agentsCount: number;
}

/** At first, so that what stands below a long list on a phone is within reach. */
const fewAgents = 8;

/** The agents with open errors of the cause. */
export function CauseAgents({ projectID, causeID, agentsCount }: CauseAgentsProps) {
  const query = useInfiniteQuery(causeAgentsQuery(projectID, causeID));
  const { table } = useListRows(query, causeID, idOf);
  const [areAllShown, setAreAllShown] = useState(false);
  const rows = table.rows ?? [];
  const isCut = !areAllShown && rows.length > fewAgents;
  const shown = isCut ? { ...table, rows: rows.slice(0, fewAgents), hasMore: false } : table;
  return (
    <section className={classes.agents}>
      <Title order={2} mb="xs">
        {causesTexts.affectedAgents} <span className={classes.total}>{formatNumber(agentsCount)}</span>
      </Title>
      <DataTable
        {...shown}
        label={causesTexts.affectedAgents}
        columns={columnsOf(projectID)}
        nameOf={({ name }) => name}
        empty={
          <Text size="sm" c="dimmed">
            {causesTexts.noAgents}
          </Text>
        }
      />
      {isCut && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={() => setAreAllShown(true)}>
          {causesTexts.showAgents(agentsCount)}
        </Button>
      )}
    </section>
  );
}

function columnsOf(projectID: string): readonly Column<AgentErrorGroupAgent>[] {
  return [
    {
      id: 'agent',
      header: causesTexts.agent,
      width: 'minmax(0, 1fr)',
      cell: ({ id, name }) => (
        <Link to="/projects/$projectID/agents/$agentID" params={{ projectID, agentID: id }} preload={false}>
          <HostileText text={name} isLine />
        </Link>
      ),
    },
    {
      id: 'where',
      header: causesTexts.destination,
      width: 'minmax(0, 1.5fr)',
      cell: ({ openError }) => openError && <Place error={openError.error} />,
    },
    {
      id: 'fleet',
      header: causesTexts.fleet,
      width: 'minmax(0, 1fr)',
      hideBelow: 'sm',
      cell: ({ fleet, fleetID }) => <HostileText text={fleet?.name ?? fleetID ?? '–'} isLine />,
    },
    {
      id: 'since',
      header: causesTexts.firstReport,
      width: '6.5rem',
      align: 'end',
      hideBelow: 'md',
      cell: ({ openError }) => openError && <Moment at={openError.createdAt} />,
    },
    {
      id: 'reports',
      header: causesTexts.reports,
      width: '4.75rem',
      align: 'end',
      cell: ({ openError }) => formatNumber(openError?.occurrences ?? 0),
    },
  ];
}

/** What differs between agents with the same cause: an address, a file, or else the text. */
function Place({ error }: { readonly error: string }) {
  const { host, port, path, url } = realValuesOf(error);
  const place = url ?? (host !== undefined && port !== undefined ? `${host}:${port}` : (host ?? path));
  return place === undefined ? <ErrorLine text={error} /> : <HostileText text={place} isLine />;
}

function idOf({ id }: AgentErrorGroupAgent): string {
  return id;
}
