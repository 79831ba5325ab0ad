import { Skeleton } from '@mantine/core';
import { MusterError } from '@muster/client';
import { usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Page } from '../../parts/page.tsx';
import { useMay } from '../../session/use-may.ts';
import { siteQuery } from '../../sites/site-queries.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { agentErrorsQuery, agentQuery, configChangesQuery } from '../agent-queries.ts';
import { AgentActions } from './agent-actions.tsx';
import { AgentConfigs } from './agent-configs.tsx';
import { AgentErrors } from './agent-errors.tsx';
import { AgentIdentity } from './agent-identity.tsx';
import classes from './agent-page.module.css';
import { AgentStatus } from './agent-status.tsx';
import { readDetailSearch } from './detail-search.ts';

const route = getRouteApi('/projects/$projectID/agents/$agentID');

/** One agent: its status and why, who it is, and its errors beside the configurations that it has run. */
export function AgentPage() {
  const { projectID, agentID } = route.useParams();
  const search = route.useSearch({ select: readDetailSearch });
  const may = useMay(projectID);
  const mayReadErrors = may('read:agent_error');
  const { data: agent, error, refetch } = useQuery(agentQuery(projectID, agentID));
  const siteID = agent?.coreInstanceID ?? null;
  const { data: site } = useQuery({
    ...siteQuery(projectID, siteID ?? ''),
    enabled: siteID !== null && may('read:core_instance'),
  });
  if (isDeleted(error)) return <DeletedAgent projectID={projectID} />;
  const name = agent?.name.slice(0, 80) ?? agentsTexts.agent;
  if (error !== null && agent === undefined)
    return (
      <Page title={name}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  return (
    <Page
      title={name}
      heading={agent === undefined ? name : <HostileText text={agent.name} maxLength={256} />}
      parent={
        <Link to="/projects/$projectID/agents" params={{ projectID }}>
          {agentsTexts.title}
        </Link>
      }
      description={
        agent === undefined ? (
          <Skeleton height={44} width="24rem" maw="80vw" />
        ) : (
          <AgentStatus agent={agent} site={site} />
        )
      }
      actions={agent !== undefined && <AgentActions projectID={projectID} agent={agent} />}
    >
      {agent === undefined ? (
        <LoadingParts projectID={projectID} agentID={agentID} mayReadErrors={mayReadErrors} />
      ) : (
        <div className={classes.parts}>
          <AgentIdentity agent={agent} site={site} />
          {mayReadErrors && (
            <>
              <AgentErrors projectID={projectID} agentID={agentID} />
              <AgentConfigs projectID={projectID} agentID={agentID} search={search} />
            </>
          )}
        </div>
      )}
    </Page>
  );
}

interface LoadingPartsProps {
  readonly projectID: string;
  readonly agentID: string;
  readonly mayReadErrors: boolean;
}

/** One block for all parts, because who the agent is would push down what is below it. */
function LoadingParts({ mayReadErrors, ...agent }: LoadingPartsProps) {
  return (
    <>
      <Skeleton height={480} />
      {mayReadErrors && <PrefetchedErrors {...agent} />}
    </>
  );
}

/** Asks for the errors and the configurations while the agent itself is awaited. */
function PrefetchedErrors({ projectID, agentID }: Omit<LoadingPartsProps, 'mayReadErrors'>) {
  usePrefetchInfiniteQuery(agentErrorsQuery(projectID, agentID, false));
  usePrefetchInfiniteQuery(configChangesQuery(projectID, agentID));
  return null;
}

/** A known agent that was deleted, while somebody looks at it too. */
function isDeleted(error: unknown): boolean {
  return error instanceof MusterError && error.code === 'agent_deleted';
}

function DeletedAgent({ projectID }: { readonly projectID: string }) {
  return (
    <Page title={agentsTexts.agent}>
      <EmptyState
        title={agentsTexts.isDeleted}
        text={agentsTexts.isDeletedText}
        action={
          <Link to="/projects/$projectID/agents" params={{ projectID }}>
            {agentsTexts.toAgents}
          </Link>
        }
      />
    </Page>
  );
}
