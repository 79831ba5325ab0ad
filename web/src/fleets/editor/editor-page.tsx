import { Skeleton } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ErrorState } from '../../parts/error-state.tsx';
import { Page } from '../../parts/page.tsx';
import { fleetsTexts } from '../../texts/fleets.ts';
import {
  fleetFilesQuery,
  fleetQuery,
  fleetVersionQuery,
  fleetVersionsQuery,
  versionCountsQuery,
} from '../fleet-queries.ts';
import { readEditorSearch } from '../fleets-search.ts';
import { whoRunsWhat } from '../who-runs-what.ts';
import { draftFiles, readDraft } from './draft.ts';
import { VersionEditor } from './version-editor.tsx';

const route = getRouteApi('/projects/$projectID/fleets/$fleetID/edit');

/** Writes a new version of a fleet: reads what it begins with. */
export function EditorPage() {
  const { projectID, fleetID } = route.useParams();
  const { from } = route.useSearch({ select: readEditorSearch });
  const fleet = useQuery(fleetQuery(projectID, fleetID));
  const versions = useInfiniteQuery(fleetVersionsQuery(projectID, fleetID));
  const files = useQuery(fleetFilesQuery(projectID, fleetID));
  const counts = useQuery(versionCountsQuery(projectID, fleetID));
  const newest = versions.data?.pages[0]?.items[0];
  const kept = readDraft(sessionStorage, fleetID);
  const isRestored = kept !== undefined && (from === undefined || from === kept.fromID);
  const baseID = isRestored
    ? kept.fromID
    : versions.data === undefined
      ? undefined
      : (from ?? fleet.data?.currentVersion?.id ?? newest?.id ?? null);
  const base = useQuery({
    ...fleetVersionQuery(projectID, baseID ?? ''),
    enabled: typeof baseID === 'string',
  });
  const parts = [fleet, versions, files, counts, base];
  const failed = parts.find(({ error, data }) => error !== null && data === undefined);
  const name = fleet.data?.name ?? fleetsTexts.fleet;
  const parent = (
    <Link to="/projects/$projectID/fleets/$fleetID" params={{ projectID, fleetID }}>
      {name}
    </Link>
  );
  if (failed !== undefined)
    return (
      <Page title={fleetsTexts.newVersion} parent={parent}>
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      </Page>
    );
  const isReady = baseID === null || base.data !== undefined;
  if (!fleet.data || !versions.data || !files.data || !counts.data || baseID === undefined || !isReady)
    return (
      <Page
        title={fleetsTexts.newVersion}
        parent={parent}
        description={<Skeleton height={20} width="20rem" />}
      >
        <Skeleton height={480} />
      </Page>
    );
  return (
    <VersionEditor
      key={`${fleetID} ${baseID}`}
      fleet={fleet.data}
      base={base.data}
      stored={draftFiles(files.data)}
      newest={newest}
      isRestored={isRestored}
      agentsCount={whoRunsWhat(counts.data, fleet.data.currentVersion).agentsCount}
      parent={parent}
    />
  );
}
