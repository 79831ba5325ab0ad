import { Skeleton, Stack, Text, Title } from '@mantine/core';
import type { TokenUsage } from '@muster/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { formatNumber } from '../parts/amount.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { HostileText } from '../parts/hostile-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useMay } from '../session/use-may.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { EarlierValue } from './earlier-value.tsx';
import classes from './token-page.module.css';
import { dependentTokensQuery, tokenUsageQuery } from './token-queries.ts';
import { UsingAgents } from './using-agents.tsx';

interface TokenUseProps {
  readonly projectID: string;
  readonly tokenID: string;
}

/** Who uses a token. */
export function TokenUse({ projectID, tokenID }: TokenUseProps) {
  const may = useMay(projectID);
  const { data: usage, error, refetch } = useQuery(tokenUsageQuery(projectID, tokenID));
  const { data: dependents = [] } = useQuery(dependentTokensQuery(projectID, tokenID));
  if (error !== null && usage === undefined) {
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Stack gap="lg">
      {usage !== undefined && usage.earlierValues.length > 0 && (
        <section>
          <Title order={2} mb="xs">
            {tokensTexts.earlierUse}
          </Title>
          {usage.earlierValues.map((value) => (
            <EarlierUse key={value.token} value={value} reportingCount={usage.stoppingAgentsCount} />
          ))}
        </section>
      )}
      <section>
        <Title order={2} mb="xs">
          {tokensTexts.usingAgents}
        </Title>
        {usage === undefined ? (
          <Skeleton height={96} />
        ) : (
          <>
            <UsingAgents projectID={projectID} usage={usage} />
            {!may('read:agent') && <Text size="sm">{tokensTexts.noReadAgent}</Text>}
          </>
        )}
      </section>
      <section>
        <Title order={2} mb="xs">
          {tokensTexts.requests}
        </Title>
        {usage === undefined ? <Skeleton height={48} /> : <RequestsByDay days={usage.requestsByDay} />}
      </section>
      {usage !== undefined && <Origins usage={usage} />}
      {dependents.length > 0 && (
        <section>
          <Title order={2} mb="xs">
            {tokensTexts.dependents}
          </Title>
          <ul className={classes.list}>
            {dependents.map(({ id, name }) => (
              <li key={id}>
                <Link to="/projects/$projectID/tokens/$tokenID" params={{ projectID, tokenID: id }}>
                  <HostileText text={name} isLine />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Stack>
  );
}

interface EarlierUseProps {
  readonly value: TokenUsage['earlierValues'][number];
  /** Agents that report with the token. Those with a token of their own use no value of it. */
  readonly reportingCount: number;
}

/** Who has not got the new value of a rotated token yet, as far as its requests tell. */
function EarlierUse({ value, reportingCount }: EarlierUseProps) {
  const origins = [
    ...value.addresses.map(({ address, lastUsedAt }) => ({ text: address, lastUsedAt })),
    ...value.userAgents.map(({ userAgent, lastUsedAt }) => ({ text: userAgent, lastUsedAt })),
  ];
  return (
    <>
      <Text size="sm">
        <EarlierValue value={value} />
      </Text>
      {value.lastUsedAt === null ? (
        <Text size="sm">{tokensTexts.earlierUnused}</Text>
      ) : (
        <Text size="sm">
          {tokensTexts.earlierAgents(reportingCount)}; {tokensTexts.lastUsedAt}{' '}
          <RelativeTime at={value.lastUsedAt} /> {origins.length > 0 && tokensTexts.lastUsedFrom}
        </Text>
      )}
      {origins.length > 0 && <OriginList items={origins} />}
    </>
  );
}

/** A table whose numbers are drawn as bars beside them. */
function RequestsByDay({ days }: { readonly days: TokenUsage['requestsByDay'] }) {
  if (days.length === 0) return <Text size="sm">{tokensTexts.noRequests}</Text>;
  const most = Math.max(...days.map(({ requests }) => requests));
  return (
    <dl className={classes.days}>
      {days.slice(0, 14).map(({ day, requests }) => (
        <Fragment key={day}>
          <dt className="number">{day}</dt>
          <div aria-hidden="true" className={classes.bar} style={{ width: `${(requests / most) * 100}%` }} />
          <dd className="number">{formatNumber(requests)}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Origins({ usage: { addresses, userAgents } }: { readonly usage: TokenUsage }) {
  const lists = [
    {
      title: tokensTexts.addresses,
      items: addresses.map(({ address, lastUsedAt }) => ({ text: address, lastUsedAt })),
    },
    {
      title: tokensTexts.programs,
      items: userAgents.map(({ userAgent, lastUsedAt }) => ({ text: userAgent, lastUsedAt })),
    },
  ];
  return lists
    .filter(({ items }) => items.length > 0)
    .map(({ title, items }) => (
      <section key={title}>
        <Title order={2} mb="xs">
          {title}
        </Title>
        <OriginList items={items} />
      </section>
    ));
}

function OriginList({ items }: { readonly items: readonly { text: string; lastUsedAt: string }[] }) {
  return (
    <ul className={classes.list}>
      {items.map(({ text, lastUsedAt }) => (
        <li key={text}>
          <HostileText text={text} />
          <RelativeTime at={lastUsedAt} />
        </li>
      ))}
    </ul>
  );
}
