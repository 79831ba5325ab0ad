import type { AgentErrorGroup, ProjectSummary } from '@muster/client';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useKeys } from '../../keys/use-keys.ts';
import { failedAgentsQuery, maxFailed } from '../../overview/overview-queries.ts';
import { projectKey } from '../../service/query-client.ts';
import { DataTable } from '../../table/data-table.tsx';
import type { Selection } from '../../table/use-selection.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { keysTexts } from '../../texts/keys.ts';
import { sectionAgentsQuery } from '../agent-queries.ts';
import type { AgentsSearch } from './agents-search.ts';
import type { Deletion } from './deletion.ts';
import { SelectionActions, useMayActOnAgents } from './selection-actions.tsx';
import { useFleetNames } from './use-fleet-names.ts';
import classes from './wrong-columns.module.css';
import { SectionHeading, wrongColumns } from './wrong-columns.tsx';
import { rowsOf, type Section, sectionsOf, type WrongRow } from './wrong-sections.ts';

interface AgentsByWrongProps {
  readonly projectID: string;
  readonly summary: ProjectSummary;
  readonly causes: readonly AgentErrorGroup[];
  readonly status: AgentsSearch['status'];
  readonly selection: Selection;
  /** Absent: the user may not delete agents. */
  readonly onDelete: ((deletion: Deletion) => void) | undefined;
}

/** Agents of a section that are read at first, and when somebody asks for more. */
const fewAgents = 3;
const manyAgents = 100;

/** The agents of a project, below what is wrong with them. */
export function AgentsByWrong({
  projectID,
  summary,
  causes,
  status,
  selection,
  onDelete,
}: AgentsByWrongProps) {
  const navigate = useNavigate();
  const mayAct = useMayActOnAgents(projectID);
  const queries = useQueryClient();
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set());
  const only = status === 'all' ? undefined : status;
  const { data: failed } = useQuery({
    ...failedAgentsQuery(projectID),
    enabled: summary.agentsByStatus.unhealthy > 0,
  });
  const failedCount = failed === undefined || failed > maxFailed ? undefined : failed;
  const sections = sectionsOf({ summary, causes, failedCount, status: only }, toggled);
  const read = useQueries({
    queries: sections.map((section) => ({
      ...sectionAgentsQuery(projectID, section.source, asked.has(section.id) ? manyAgents : fewAgents),
      enabled: section.isOpen,
    })),
  });
  const agentsOf = new Map(sections.map((section, place) => [section.id, read[place]?.data]));
  const rows = rowsOf(sections, ({ id }) => agentsOf.get(id));
  const fleetNames = useFleetNames(projectID);
  const columns = useMemo(() => wrongColumns(projectID, fleetNames), [projectID, fleetNames]);
  const toggle = ({ id, isOpen }: Section) => setToggled((before) => new Map(before).set(id, !isOpen));
  const showMore = (section: Section) => {
    if (!asked.has(section.id)) setAsked((before) => new Set(before).add(section.id));
    else if (section.source.kind === 'cause')
      void navigate({
        to: '/projects/$projectID/causes/$causeID',
        params: { projectID, causeID: section.source.causeID },
      });
    else
      void navigate({
        to: '/projects/$projectID/agents',
        params: { projectID },
        search: { status: section.status, group: 'none' },
      });
  };
  // An agent can stand in several sections.
  const chosen = [
    ...new Map(
      rows.flatMap((row) =>
        row.kind === 'agent' && selection.ids.has(idOf(row)) ? [[row.agent.id, row.agent] as const] : [],
      ),
    ).values(),
  ];
  const deleteSelected = () => {
    if (chosen.length > 0) onDelete?.({ kind: 'chosen', agents: chosen });
  };
  useKeys(onDelete === undefined ? [] : [{ key: 'd', text: keysTexts.delete, run: deleteSelected }]);
  return (
    <DataTable
      label={agentsTexts.title}
      columns={columns}
      rows={rows.map((row) => ({ row, isGone: false }))}
      idOf={idOf}
      nameOf={(row) => (row.kind === 'agent' ? row.agent.name : (row.section.title ?? ''))}
      rowHeight={40}
      narrowRowHeight={84}
      newCount={0}
      onTakeIn={() => undefined}
      onRetry={() => undefined}
      empty={null}
      selection={mayAct ? selection : undefined}
      bar={
        <SelectionActions
          projectID={projectID}
          agents={chosen}
          onDelete={onDelete && deleteSelected}
          onMoved={() => {
            selection.clear();
            void queries.invalidateQueries({ queryKey: projectKey(projectID) });
          }}
        />
      }
      spanOf={(row) => {
        if (row.kind === 'agent') return undefined;
        const { section } = row;
        if (row.kind === 'section')
          return <SectionHeading projectID={projectID} section={section} onToggle={() => toggle(section)} />;
        return (
          <button type="button" className={classes.more} onClick={() => showMore(section)}>
            {agentsTexts.showMore(row.count)}
          </button>
        );
      }}
      onOpen={(row) => {
        if (row.kind === 'section') toggle(row.section);
        else if (row.kind === 'more') showMore(row.section);
        else
          void navigate({
            to: '/projects/$projectID/agents/$agentID',
            params: { projectID, agentID: row.agent.id },
          });
      }}
    />
  );
}

function idOf(row: WrongRow): string {
  return row.kind === 'agent' ? `${row.section.id} ${row.agent.id}` : `${row.section.id} ${row.kind}`;
}
