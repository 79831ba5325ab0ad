import { Text, Title } from '@mantine/core';
import type { AgentErrorGroupAgent } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../parts/amount.ts';
import { HostileText } from '../../parts/hostile-text.tsx';
import type { Column } from '../../table/column.ts';
import { DataTable } from '../../table/data-table.tsx';
import { useListRows } from '../../table/use-list-rows.ts';
import { causesTexts } from '../../texts/causes.ts';
import { causeAgentsQuery } from '../cause-queries.ts';
import classes from './cause-page.module.css';

interface CauseAgentsProps {
  readonly projectID: string;
  readonly causeID: string;
}

/** The agents with open errors of the cause. */
export function CauseAgents({ projectID, causeID }: CauseAgentsProps) {
  const query = useInfiniteQuery(causeAgentsQuery(projectID, causeID));
  const { table } = useListRows(query, causeID, idOf);
  return (
    <section className={classes.agents}>
      <Title order={2} mb="xs">
        {causesTexts.affectedAgents}
      </Title>
      <DataTable
        {...table}
        label={causesTexts.affectedAgents}
        columns={columnsOf(projectID)}
        nameOf={({ name }) => name}
        empty={
          <Text size="sm" c="dimmed">
            {causesTexts.noAgents}
          </Text>
        }
      />
    </section>
  );
}

function columnsOf(projectID: string): readonly Column<AgentErrorGroupAgent>[] {
  return [
    {
      id: 'agent',
      header: causesTexts.agent,
      width: 'minmax(0, 2fr)',
      cell: ({ id, name }) => (
        <Link to="/projects/$projectID/agents/$agentID" params={{ projectID, agentID: id }} preload={false}>
          <HostileText text={name} isLine />
        </Link>
      ),
    },
    {
      id: 'fleet',
      header: causesTexts.fleet,
      width: 'minmax(0, 1fr)',
      hideBelow: 'sm',
      cell: ({ fleetID }) => (fleetID === null ? '–' : <HostileText text={fleetID} isLine />),
    },
    {
      id: 'version',
      header: causesTexts.version,
      width: '6rem',
      hideBelow: 'sm',
      cell: ({ version }) => <bdi>{version ?? '–'}</bdi>,
    },
    {
      id: 'errors',
      header: causesTexts.openErrors,
      width: '7rem',
      align: 'end',
      cell: ({ errorsCount }) => formatNumber(errorsCount),
    },
  ];
}

function idOf({ id }: AgentErrorGroupAgent): string {
  return id;
}
