import { Button, NativeSelect, Skeleton, Text, Title } from '@mantine/core';
import type { Fleet, FleetVersion } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useKeys } from '../../keys/use-keys.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Tag } from '../../parts/tag.tsx';
import { DeployDialog } from '../../rollouts/deploy-dialog.tsx';
import { isOpen } from '../../rollouts/rollout-progress.ts';
import { rolloutsQuery } from '../../rollouts/rollout-queries.ts';
import { useMay } from '../../session/use-may.ts';
import { fleetsTexts } from '../../texts/fleets.ts';
import { partsTexts } from '../../texts/parts.ts';
import { rolloutsTexts } from '../../texts/rollouts.ts';
import { fleetVersionsQuery } from '../fleet-queries.ts';
import type { FleetSearch } from '../fleets-search.ts';
import classes from './fleet-page.module.css';
import { ServeDialog } from './serve-dialog.tsx';
import { VersionDiff } from './version-diff.tsx';

interface FleetVersionsProps {
  readonly fleet: Fleet;
  readonly agentsCount: number;
  readonly search: FleetSearch;
}

/** The versions of a fleet, and beside them what the chosen one has changed. `[` and `]` go through them. */
export function FleetVersions({ fleet, agentsCount, search }: FleetVersionsProps) {
  const { id: fleetID, projectID } = fleet;
  const navigate = useNavigate({ from: '/projects/$projectID/fleets/$fleetID' });
  const query = useInfiniteQuery(fleetVersionsQuery(projectID, fleetID));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const versions = data?.pages.flatMap(({ items }) => items);
  const newest = versions?.[0];
  const opened = newest?.isBad === true ? (versions?.find(({ isCurrent }) => isCurrent) ?? newest) : newest;
  const chosen = versions?.find(({ id }) => id === search.version) ?? opened;
  const step = (by: number) => {
    const next = chosen && versions?.[versions.indexOf(chosen) + by];
    if (next !== undefined)
      void navigate({ search: { version: next.id }, replace: true, resetScroll: false });
  };
  useKeys([
    { key: ']', text: fleetsTexts.nextVersion, run: () => step(-1) },
    { key: '[', text: fleetsTexts.previousVersion, run: () => step(1) },
  ]);
  if (versions !== undefined && chosen === undefined) return null;
  return (
    <div className={classes.columns}>
      <section>
        <div className={classes.heading}>
          <Title order={2}>{fleetsTexts.versions}</Title>
        </div>
        {error !== null && versions === undefined && (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
        {versions === undefined && error === null && <Skeleton height={220} />}
        <ol className={classes.versions}>
          {versions?.map((version) => (
            <VersionItem
              key={version.id}
              fleet={fleet}
              version={version}
              isChosen={version === chosen}
              isOpened={version === opened}
            />
          ))}
        </ol>
        {hasNextPage && (
          <Button
            variant="default"
            size="compact-sm"
            mt="xs"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {partsTexts.showMore}
          </Button>
        )}
      </section>
      {versions !== undefined && chosen !== undefined && (
        <section aria-labelledby="difference">
          <div className={classes.heading}>
            <Title order={2} id="difference">
              {fleetsTexts.difference}
            </Title>
            <AgainstChoice versions={versions} chosen={chosen} against={search.against} />
          </div>
          <VersionActions fleet={fleet} version={chosen} newest={newest} agentsCount={agentsCount} />
          <VersionDiff projectID={projectID} versionID={chosen.id} against={search.against} />
          <Findings version={chosen} />
        </section>
      )}
    </div>
  );
}

interface VersionItemProps {
  readonly fleet: Fleet;
  readonly version: FleetVersion;
  readonly isChosen: boolean;
  /** True: it is the one that is shown without a choice. */
  readonly isOpened: boolean;
}

function VersionItem({ fleet, version, isChosen, isOpened }: VersionItemProps) {
  const { number, note, createdAt, createdBy, findings } = version;
  return (
    <li data-is-chosen={isChosen || undefined}>
      <Link
        to="/projects/$projectID/fleets/$fleetID"
        params={{ projectID: fleet.projectID, fleetID: fleet.id }}
        search={isOpened ? {} : { version: version.id }}
        replace
        resetScroll={false}
        preload={false}
        aria-current={isChosen}
      >
        <span className={classes.number}>{number}</span>
        <span className={classes.about}>
          <span className={note ? classes.note : 'quiet'}>
            {note ? <HostileText text={note} isLine /> : fleetsTexts.noNote}
          </span>
          <span className={classes.detail}>
            <bdi>
              <MarkedText text={createdBy.name ?? fleetsTexts.somebody} />
            </bdi>
            , <Moment at={createdAt} />
            {findings.length > 0 && `, ${fleetsTexts.warnings(findings.length)}`}
          </span>
        </span>
        {version.isBad && <Tag tone="bad">{fleetsTexts.bad}</Tag>}
        {version.isCurrent && <Tag tone="good">{fleetsTexts.served}</Tag>}
      </Link>
    </li>
  );
}

interface AgainstChoiceProps {
  readonly versions: readonly FleetVersion[];
  readonly chosen: FleetVersion;
  readonly against: string | undefined;
}

function AgainstChoice({ versions, chosen, against }: AgainstChoiceProps) {
  const navigate = useNavigate({ from: '/projects/$projectID/fleets/$fleetID' });
  const others = versions.filter(({ id }) => id !== chosen.id);
  if (others.length < 2) return null;
  return (
    <NativeSelect
      size="xs"
      aria-label={fleetsTexts.compareWith}
      value={against ?? ''}
      onChange={({ currentTarget: { value } }) =>
        void navigate({
          search: ({ version }) => ({
            ...(version === undefined ? {} : { version }),
            ...(value === '' ? {} : { against: value }),
          }),
          replace: true,
          resetScroll: false,
        })
      }
      data={[
        { value: '', label: `${fleetsTexts.compareWith} ${fleetsTexts.versionBefore}` },
        ...others.map(({ id, number }) => ({
          value: id,
          label: `${fleetsTexts.compareWith} ${fleetsTexts.version(number)}`,
        })),
      ]}
    />
  );
}

interface VersionActionsProps {
  readonly fleet: Fleet;
  readonly version: FleetVersion;
  readonly newest: FleetVersion | undefined;
  readonly agentsCount: number;
}

/** What can be done with a version that agents do not get. */
function VersionActions({ fleet, version, newest, agentsCount }: VersionActionsProps) {
  const [isServing, setIsServing] = useState(false);
  // Without agents that run the version before, there is nothing to watch.
  const isStaged = fleet.currentVersion !== null && agentsCount > 0;
  const { data: rollouts, error } = useInfiniteQuery(rolloutsQuery(fleet.projectID, fleet.id));
  const rollout = rollouts?.pages[0]?.items.find((one) => isOpen(one) && one.to.id === version.id);
  const mayUpdate = useMay(fleet.projectID)('update:fleet');
  const isKnown = rollouts !== undefined || error !== null;
  if (version.isCurrent || newest === undefined || !isKnown || (!mayUpdate && rollout === undefined))
    return null;
  return (
    <div className={classes.versionActions}>
      {rollout !== undefined ? (
        <Link
          to="/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID"
          params={{ projectID: fleet.projectID, fleetID: fleet.id, rolloutID: rollout.id }}
          preload={false}
        >
          {fleetsTexts.rolledOut(version.number, rollout.agentsCount.applied, agentsCount)}
        </Link>
      ) : (
        <>
          {version === newest && <Text size="sm">{fleetsTexts.notServedTitle(version.number)}</Text>}
          <Button size="compact-sm" onClick={() => setIsServing(true)}>
            {isStaged ? rolloutsTexts.deploy : fleetsTexts.serve(agentsCount)}
          </Button>
        </>
      )}
      {mayUpdate && (
        <Button
          size="compact-sm"
          variant="default"
          renderRoot={(props) => (
            <Link
              to="/projects/$projectID/fleets/$fleetID/edit"
              params={{ projectID: fleet.projectID, fleetID: fleet.id }}
              search={{ from: version.id }}
              {...props}
            />
          )}
        >
          {fleetsTexts.editAs(newest.number + 1)}
        </Button>
      )}
      {isServing && isStaged && (
        <DeployDialog fleet={fleet} version={version} onClose={() => setIsServing(false)} />
      )}
      {isServing && !isStaged && (
        <ServeDialog
          fleet={fleet}
          version={version}
          agentsCount={agentsCount}
          onClose={() => setIsServing(false)}
        />
      )}
    </div>
  );
}

/** The warnings with which it was saved. */
function Findings({ version: { findings } }: { readonly version: FleetVersion }) {
  if (findings.length === 0) return null;
  return (
    <ul className={classes.findings}>
      {findings.map(({ line, file, message }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: findings have no other identity, and are never moved
        <li key={place}>
          {line !== undefined && (
            <strong>
              {file === undefined ? fleetsTexts.line(line) : fleetsTexts.lineOf(file, line)}
              {': '}
            </strong>
          )}
          {message}
        </li>
      ))}
    </ul>
  );
}
