import { Skeleton } from '@mantine/core';
import { type Fleet, MusterError } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Command } from '../../parts/command.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { Page } from '../../parts/page.tsx';
import { RolloutsSection } from '../../rollouts/rollouts-section.tsx';
import { rootURL } from '../../service/root-url.ts';
import { fleetsTexts } from '../../texts/fleets.ts';
import { agentLines } from '../agent-lines.ts';
import { fleetQuery, versionCountsQuery } from '../fleet-queries.ts';
import { readFleetSearch } from '../fleets-search.ts';
import { type WhoRunsWhat, whoRunsWhat } from '../who-runs-what.ts';
import { FleetActions } from './fleet-actions.tsx';
import classes from './fleet-page.module.css';
import { FleetVerdict } from './fleet-verdict.tsx';
import { FleetVersions } from './fleet-versions.tsx';
import { RunTable } from './run-table.tsx';

const route = getRouteApi('/projects/$projectID/fleets/$fleetID');

/** One fleet: what it serves, who runs what, what is wrong, and what each of its versions has changed. */
export function FleetPage() {
  const { projectID, fleetID } = route.useParams();
  const search = route.useSearch({ select: readFleetSearch });
  const { data: fleet, error, refetch } = useQuery(fleetQuery(projectID, fleetID));
  const counts = useQuery(versionCountsQuery(projectID, fleetID));
  const who = counts.data && fleet && whoRunsWhat(counts.data, fleet.currentVersion);
  const toList = (text: string) => (
    <Link to="/projects/$projectID/fleets" params={{ projectID }}>
      {text}
    </Link>
  );
  if (isGone(error))
    return (
      <Page title={fleetsTexts.fleet}>
        <EmptyState
          title={fleetsTexts.isDeleted}
          text={fleetsTexts.isDeletedText}
          action={toList(fleetsTexts.toList)}
        />
      </Page>
    );
  const failure = fleet === undefined ? error : who === undefined ? counts.error : null;
  if (failure !== null)
    return (
      <Page title={fleet?.name ?? fleetsTexts.fleet} parent={toList(fleetsTexts.title)}>
        <ErrorState error={failure} onRetry={() => void (failure === error ? refetch() : counts.refetch())} />
      </Page>
    );
  const isReady = fleet !== undefined && who !== undefined;
  return (
    <Page
      title={fleet?.name ?? fleetsTexts.fleet}
      heading={isReady ? <Heading fleet={fleet} who={who} /> : (fleet?.name ?? fleetsTexts.fleet)}
      parent={toList(fleetsTexts.title)}
      description={
        isReady ? (
          <Sentence fleet={fleet} hasAgents={who.agentsCount > 0} />
        ) : (
          <Skeleton height={20} width="24rem" maw="80vw" />
        )
      }
      actions={isReady && <FleetActions fleet={fleet} agentsCount={who.agentsCount} />}
    >
      {isReady ? (
        <div className={classes.parts}>
          <FleetVerdict fleet={fleet} who={who} />
          <RunTable fleet={fleet} who={who} />
          <RolloutsSection projectID={projectID} fleetID={fleetID} />
          <FleetVersions fleet={fleet} agentsCount={who.agentsCount} search={search} />
        </div>
      ) : (
        // One block for all parts, because a verdict would push down what is below it.
        <Skeleton height={480} />
      )}
    </Page>
  );
}

/** What it serves, and to how many. */
function Heading({
  fleet: { name, currentVersion },
  who,
}: {
  readonly fleet: Fleet;
  readonly who: WhoRunsWhat;
}) {
  const { headings } = fleetsTexts;
  return (
    <>
      <NameText text={name} />{' '}
      {currentVersion === null
        ? headings.unserved
        : `${headings.serves(currentVersion.number)} ${headings.toAgents(who.agentsCount)}`}
    </>
  );
}

interface SentenceProps {
  readonly fleet: Fleet;
  /** False: the lines for an agent stand below. */
  readonly hasAgents: boolean;
}

/** Since when, and how agents join. */
function Sentence({ fleet: { name, currentVersion }, hasAgents }: SentenceProps) {
  return (
    <>
      {currentVersion !== null && (
        <>
          {fleetsTexts.servedStart} <Moment at={currentVersion.publishedAt} />.{' '}
        </>
      )}
      {fleetsTexts.joinWith} <code>fleet_name {name}</code>.
      {hasAgents && (
        <details className={classes.lines}>
          <summary>{fleetsTexts.showLines}</summary>
          <Command command={agentLines(rootURL, name)} />
          <p className={classes.hint}>{fleetsTexts.linesText}</p>
        </details>
      )}
    </>
  );
}

/** A known fleet that was deleted, while somebody looks at it too. */
export function isGone(error: unknown): boolean {
  return error instanceof MusterError && error.code === 'not_found';
}
