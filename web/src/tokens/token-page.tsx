import { Alert, Anchor, Skeleton, Stack, Title } from '@mantine/core';
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ErrorState } from '../parts/error-state.tsx';
import { Page } from '../parts/page.tsx';
import { describeGrant } from '../permissions/describe-grant.ts';
import { useMay } from '../session/use-may.ts';
import { tokensTexts } from '../texts/tokens.ts';
import { TokenActions } from './token-actions.tsx';
import { TokenFacts } from './token-facts.tsx';
import classes from './token-page.module.css';
import { tokenQuery, tokenUsageQuery } from './token-queries.ts';
import { TokenStatus } from './token-status.tsx';
import { TokenUse } from './token-use.tsx';

const route = getRouteApi('/projects/$projectID/tokens/$tokenID');

/** One token: what it may do, who uses it, and what can be done with it. */
export function TokenPage() {
  const { projectID, tokenID } = route.useParams();
  const { data: token, error, refetch } = useQuery(tokenQuery(projectID, tokenID));
  usePrefetchQuery(tokenUsageQuery(projectID, tokenID));
  const mayReadAudit = useMay(projectID)('read:audit_log');
  if (error !== null && token === undefined) {
    return (
      <Page title={tokensTexts.title}>
        <ErrorState error={error} onRetry={() => void refetch()} />
        <Anchor component={Link} to={`/projects/${projectID}/tokens`}>
          {tokensTexts.toList}
        </Anchor>
      </Page>
    );
  }
  return (
    <Page
      title={token?.name ?? tokensTexts.title}
      heading={token === undefined ? <Skeleton height={24} width={180} /> : <bdi>{token.name}</bdi>}
      parent={
        <Link to="/projects/$projectID/tokens" params={{ projectID }}>
          {tokensTexts.title}
        </Link>
      }
      description={token === undefined ? <Skeleton height={16} width={70} /> : <TokenStatus token={token} />}
      actions={token === undefined ? undefined : <TokenActions projectID={projectID} token={token} />}
    >
      {token !== undefined && token.leakedAt !== null && (
        <Alert color="red" variant="light" mb="md" title={tokensTexts.leaked}>
          {token.leakSource === null ? tokensTexts.leakedSomewhere : tokensTexts.leakedAt(token.leakSource)}
        </Alert>
      )}
      {token === undefined ? (
        // One block for all, because what the token may do would push down what is below it.
        <Skeleton height={480} />
      ) : (
        <div className={classes.columns}>
          <Stack gap="lg">
            <section>
              <Title order={2} mb="xs">
                {tokensTexts.mayDo}
              </Title>
              <ul className={classes.permissions}>
                {token.permissions.length === 0 && <li>{tokensTexts.noPermissions}</li>}
                {token.permissions.map((permission) => (
                  <li key={permission}>
                    {describeGrant(permission)} <code>{permission}</code>
                  </li>
                ))}
              </ul>
            </section>
            <section>
              <Title order={2} mb="xs">
                {tokensTexts.facts}
              </Title>
              <TokenFacts projectID={projectID} token={token} />
            </section>
            {mayReadAudit && (
              <section>
                <Title order={2} mb="xs">
                  {tokensTexts.record}
                </Title>
                <Link to="/projects/$projectID/audit_log" params={{ projectID }} search={{ actor: tokenID }}>
                  {tokensTexts.whatItDid}
                </Link>
                <br />
                <Link to="/projects/$projectID/audit_log" params={{ projectID }} search={{ target: tokenID }}>
                  {tokensTexts.whatWasDone}
                </Link>
              </section>
            )}
          </Stack>
          <TokenUse projectID={projectID} tokenID={tokenID} />
        </div>
      )}
    </Page>
  );
}
