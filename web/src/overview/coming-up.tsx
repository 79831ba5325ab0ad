import { Title } from '@mantine/core';
import { type FreezeWindows, listTokens, type Rollout, type Token } from '@muster/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { type Happening, Timeline } from '../parts/timeline.tsx';
import { useTime } from '../parts/use-time.ts';
import { freezeQuery } from '../rollouts/freeze-query.ts';
import { client } from '../service/client.ts';
import { projectKey } from '../service/query-client.ts';
import { useMay } from '../session/use-may.ts';
import { comingUpTexts } from '../texts/coming-up.ts';
import { isAboutToExpire } from '../tokens/is-about-to-expire.ts';
import classes from './overview-page.module.css';
import { recentRolloutsQuery } from './overview-queries.ts';

const maxListed = 5;
const maxTokens = 1_000;
const soonMilliseconds = 60 * 24 * 3_600_000;

/** What will happen by itself within two months, the soonest first. Nothing if nothing will. */
export function ComingUp({ projectID }: { readonly projectID: string }) {
  const may = useMay(projectID);
  const { data: freezes } = useQuery({ ...freezeQuery(projectID), enabled: may('read:fleet') });
  const { data: rollouts = [] } = useQuery({ ...recentRolloutsQuery(projectID), enabled: may('read:fleet') });
  const { data: tokens = [] } = useQuery({ ...laterTokensQuery(projectID), enabled: may('read:token') });
  const now = useTime();
  const all = [
    ...(freezes === undefined ? [] : happeningsOfFreezes(freezes)),
    ...rollouts.flatMap(happeningOfRollout),
    ...tokens.flatMap((token) => happeningOfToken(projectID, token)),
  ]
    .filter(({ at }) => Date.parse(at) > now && Date.parse(at) < now + soonMilliseconds)
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
    .slice(0, maxListed);
  if (all.length === 0) return null;
  return (
    <section className={classes.next}>
      <div className={classes.heading}>
        <Title order={2}>{comingUpTexts.title}</Title>
      </div>
      <Timeline happenings={all} isAhead />
    </section>
  );
}

/** Tokens that expire within two months, and not yet so soon that they need attention. */
function laterTokensQuery(projectID: string) {
  return queryOptions({
    queryKey: [...projectKey(projectID), 'later-tokens'],
    queryFn: async ({ signal }) => {
      const { items } = await listTokens(client, { projectID, last: maxTokens }, { signal }).first();
      const now = Date.now();
      return items.filter(
        (token) =>
          token.expiresAt !== null &&
          Date.parse(token.expiresAt) - now < soonMilliseconds &&
          !isAboutToExpire(token, now),
      );
    },
    meta: { topics: ['tokens'] },
  });
}

function happeningsOfFreezes({ freeze, nextFreeze }: FreezeWindows): readonly Happening[] {
  const ends: Happening[] =
    freeze === null || freeze.endsAt === null
      ? []
      : [
          {
            key: 'thaw',
            at: freeze.endsAt,
            tone: 'good',
            text: comingUpTexts.thawed,
            more: <bdi>{comingUpTexts.freeze(freeze.name)}</bdi>,
          },
        ];
  if (nextFreeze === null) return ends;
  const begins: Happening = {
    key: 'freeze',
    at: nextFreeze.startsAt,
    tone: 'quiet',
    text:
      nextFreeze.endsAt === null ? (
        comingUpTexts.frozen
      ) : (
        <>
          {comingUpTexts.frozenUntil} <Moment at={nextFreeze.endsAt} />
        </>
      ),
    more: <bdi>{comingUpTexts.freeze(nextFreeze.name)}</bdi>,
  };
  return [...ends, begins];
}

/** Its next stage, if it begins by itself: each agent of this one has to run the version for a while. */
function happeningOfRollout({
  id: rolloutID,
  projectID,
  fleetID,
  fleetName,
  state,
  to,
  stage,
  stages,
  approval,
  stageStartedAt,
}: Rollout): readonly Happening[] {
  const soakSeconds = stages[stage - 1]?.soakSeconds;
  if (state !== 'running' || approval !== 'none' || stage >= stages.length || soakSeconds === undefined)
    return [];
  const at = new Date(Date.parse(stageStartedAt) + soakSeconds * 1_000).toISOString();
  const text = (
    <>
      {comingUpTexts.stage(stage + 1, stages.length)}{' '}
      <Link
        to="/projects/$projectID/fleets/$fleetID/rollouts/$rolloutID"
        params={{ projectID, fleetID, rolloutID }}
        preload={false}
      >
        {comingUpTexts.version(to.number)}
      </Link>{' '}
      {comingUpTexts.on} <NameText text={fleetName} />
    </>
  );
  return [{ key: rolloutID, at, tone: 'accent', text, more: comingUpTexts.atTheEarliest }];
}

function happeningOfToken(
  projectID: string,
  { id: tokenID, name, expiresAt, lastUsedAt }: Token,
): readonly Happening[] {
  if (expiresAt === null) return [];
  const text = (
    <>
      {comingUpTexts.token}{' '}
      <Link to="/projects/$projectID/tokens/$tokenID" params={{ projectID, tokenID }} preload={false}>
        <NameText text={name} />
      </Link>{' '}
      {comingUpTexts.expires}
    </>
  );
  const more =
    lastUsedAt === null ? (
      comingUpTexts.neverUsed
    ) : (
      <>
        {comingUpTexts.lastUsed} <RelativeTime at={lastUsedAt} />
      </>
    );
  return [{ key: tokenID, at: expiresAt, tone: 'warning', text, more }];
}
