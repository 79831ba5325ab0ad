import { NativeSelect } from '@mantine/core';
import { MusterError } from '@muster/client';
import { visibleText } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../parts/empty-state.tsx';
import { useMay } from '../session/use-may.ts';
import { sitesTexts } from '../texts/sites.ts';
import { sitesQuery } from './site-queries.ts';

interface SiteFilterProps {
  readonly projectID: string;
  /** An id, as it stands in the address. */
  readonly chosen: string | undefined;
  readonly onChoose: (siteID: string) => void;
}

/** Narrows a list to the agents behind one site. Absent where there are no sites. */
export function SiteFilter({ projectID, chosen, onChoose }: SiteFilterProps) {
  const { data: sites = [] } = useQuery({
    ...sitesQuery(projectID),
    refetchInterval: false,
    enabled: useMay(projectID)('read:core_instance'),
  });
  if (sites.length === 0 && chosen === undefined) return null;
  // The site of the address stands among them even if it is deleted.
  const isMissing = chosen !== undefined && sites.every(({ id }) => id !== chosen);
  return (
    <NativeSelect
      aria-label={sitesTexts.site}
      value={chosen ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      data={[
        { value: '', label: sitesTexts.allSites },
        ...(isMissing ? [{ value: chosen, label: visibleText(chosen) }] : []),
        ...sites.map(({ id, name }) => ({ value: id, label: visibleText(name) })),
      ]}
      maw="12rem"
    />
  );
}

/** True if a list was refused because the site in its address is no id. */
export function isNoSite(error: unknown): boolean {
  return (
    error instanceof MusterError &&
    error.problem.fields?.some(({ path }) => path === 'core_instance_id') === true
  );
}

/** In place of a list that was refused so. */
export function NoSuchSite() {
  return <EmptyState title={sitesTexts.noSuchSite} text={sitesTexts.noSuchSiteText} />;
}
