import { Box, Group, NativeSelect } from '@mantine/core';
import type { ProjectSummary } from '@muster/client';
import { visibleText } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Choice } from '../../parts/choice.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { useMay } from '../../session/use-may.ts';
import { SiteFilter } from '../../sites/site-filter.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import { reportedFleetsQuery } from '../agent-queries.ts';
import { AgentStatusBadge } from '../agent-status-badge.tsx';
import { type AgentsSearch, groupings, readAgentsSearch, statusChoices } from './agents-search.ts';

interface AgentFiltersProps {
  readonly projectID: string;
  readonly search: AgentsSearch;
  /** Undefined: they are not known. */
  readonly summary: ProjectSummary | undefined;
  readonly mayGroup: boolean;
}

/** What the list shows, which stands in the address. */
export function AgentFilters({ projectID, search, summary, mayGroup }: AgentFiltersProps) {
  const navigate = useNavigate({ from: '/projects/$projectID/agents' });
  const mayListFleets = useMay(projectID)('read:fleet');
  const { data: fleets } = useQuery({ ...reportedFleetsQuery(projectID), enabled: mayListFleets });
  const change = (name: keyof AgentsSearch, value: string) =>
    void navigate({
      search: (before) => readAgentsSearch({ ...before, [name]: value }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <Box mb="xs">
        <Choice
          label={agentsTexts.status}
          value={search.status ?? 'all'}
          onChange={(value) => change('status', value)}
          options={statusChoices.map((value) => ({
            value,
            text: value === 'all' ? agentsTexts.allStatuses : <AgentStatusBadge status={value} />,
            count: value === 'all' ? summary?.agentsCount : summary?.agentsByStatus[value],
          }))}
        />
      </Box>
      <Group gap="xs" mb="md">
        <SearchField value={search.q ?? ''} onSearch={(q) => change('q', q)} label={agentsTexts.search} />
        {mayListFleets && (
          <NativeSelect
            aria-label={agentsTexts.fleet}
            value={search.fleet ?? ''}
            onChange={({ currentTarget }) => change('fleet', currentTarget.value)}
            data={fleetOptions(fleets?.fleets ?? [], search.fleet)}
            maw="12rem"
          />
        )}
        <SiteFilter projectID={projectID} chosen={search.site} onChoose={(site) => change('site', site)} />
        <TextFilter
          label={agentsTexts.version}
          placeholder={agentsTexts.anyVersion}
          value={search.version ?? ''}
          onFilter={(version) => change('version', version)}
          maxLength={128}
        />
        <TextFilter
          label={agentsTexts.tag}
          placeholder={agentsTexts.anyTag}
          value={search.tag ?? ''}
          onFilter={(tag) => change('tag', tag)}
          maxLength={128}
        />
        {mayGroup && (
          <NativeSelect
            aria-label={agentsTexts.grouping}
            value={search.group ?? 'wrong'}
            onChange={({ currentTarget }) => change('group', currentTarget.value)}
            data={groupings.map((value) => ({ value, label: agentsTexts.groupings[value] }))}
          />
        )}
      </Group>
    </>
  );
}

/** The fleet of the address stands among them even if no agent is in it any more. */
function fleetOptions(
  fleets: readonly { readonly id: string; readonly name: string | null; readonly agentsCount: number }[],
  chosen: string | undefined,
) {
  const isMissing = chosen !== undefined && fleets.every(({ id }) => id !== chosen);
  return [
    { value: '', label: agentsTexts.allFleets },
    ...(isMissing ? [{ value: chosen, label: visibleText(chosen) }] : []),
    ...fleets.map(({ id, name, agentsCount }) => ({
      value: id,
      label: agentsTexts.fleetOption(visibleText(name ?? id), agentsCount),
    })),
  ];
}
