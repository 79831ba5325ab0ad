import { Group, NativeSelect } from '@mantine/core';
import { visibleText } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { reportedFleetsQuery } from '../agents/agent-queries.ts';
import { Choice } from '../parts/choice.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useMay } from '../session/use-may.ts';
import { SiteFilter } from '../sites/site-filter.tsx';
import { causesTexts } from '../texts/causes.ts';
import { type CausesSearch, causeSorts, causeStates, readCausesSearch } from './causes-search.ts';

interface CauseFiltersProps {
  readonly projectID: string;
  readonly search: CausesSearch;
  /** Causes that are open. Undefined: not known. */
  readonly openCount: number | undefined;
}

/** What the list shows, which stands in the address. */
export function CauseFilters({ projectID, search, openCount }: CauseFiltersProps) {
  const mayListFleets = useMay(projectID)('read:fleet');
  const { data: fleets } = useQuery({ ...reportedFleetsQuery(projectID), enabled: mayListFleets });
  const navigate = useNavigate({ from: '/projects/$projectID/causes' });
  const change = (name: keyof CausesSearch, value: string) =>
    void navigate({
      search: (before) => readCausesSearch({ ...before, [name]: value }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Group gap="xs" mb="md">
      <Choice
        label={causesTexts.state}
        value={search.state ?? 'open'}
        onChange={(value) => change('state', value)}
        options={causeStates.map((value) => ({
          value,
          text: causesTexts.states[value],
          // The others are not counted.
          count: value === 'open' ? openCount : undefined,
        }))}
      />
      <SearchField value={search.q ?? ''} onSearch={(q) => change('q', q)} label={causesTexts.search} />
      <NativeSelect
        aria-label={causesTexts.sort}
        value={search.sort ?? 'agents'}
        // Wider tables have headings to click on.
        hiddenFrom="sm"
        onChange={({ currentTarget }) => change('sort', currentTarget.value)}
        data={causeSorts.map((value) => ({ value, label: causesTexts.sorts[value] }))}
      />
      {fleets !== undefined && fleets.fleets.length > 0 && (
        <NativeSelect
          aria-label={causesTexts.fleet}
          value={search.fleet ?? ''}
          onChange={({ currentTarget }) => change('fleet', currentTarget.value)}
          data={[
            { value: '', label: causesTexts.allFleets },
            ...fleets.fleets.map(({ id, name }) => ({ value: id, label: visibleText(name ?? id) })),
          ]}
        />
      )}
      <SiteFilter projectID={projectID} chosen={search.site} onChoose={(site) => change('site', site)} />
    </Group>
  );
}
