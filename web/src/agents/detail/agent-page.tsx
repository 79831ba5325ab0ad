import { Skeleton, Text } from '@mantine/core';
import { type AgentWithConfig, MusterError } from '@muster/client';
import { configName, labelOf, parseDiff } from '@muster/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { causeQuery } from '../../causes/cause-queries.ts';
import { PutBackDialog } from '../../causes/detail/put-back-button.tsx';
import type { PutBack } from '../../causes/detail/put-back-of.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { Page } from '../../parts/page.tsx';
import { useMay } from '../../session/use-may.ts';
import { siteQuery } from '../../sites/site-queries.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { agentErrorsQuery, agentQuery, configChangesQuery, configDiffQuery } from '../agent-queries.ts';
import { AgentStatusBadge } from '../agent-status-badge.tsx';
import { AgentActions } from './agent-actions.tsx';
import { AgentChange } from './agent-change.tsx';
import { AgentErrors } from './agent-errors.tsx';
import { AgentHistory } from './agent-history.tsx';
import { AgentIdentity } from './agent-identity.tsx';
import { AgentLede } from './agent-lede.tsx';
import classes from './agent-page.module.css';
import { sentenceOf } from './agent-wrong.ts';
import { readDetailSearch } from './detail-search.ts';
import { PutAgentBack } from './put-agent-back.tsx';

const route = getRouteApi('/projects/$projectID/agents/$agentID');

/** One agent: what is wrong with it and since which change, what happened before, and who it is. */
export function AgentPage() {
  const { projectID, agentID } = route.useParams();
  const may = useMay(projectID);
  const { data: agent, error, refetch } = useQuery(agentQuery(projectID, agentID));
  const ofErrors = { enabled: may('read:agent_error') };
  const lists = [
    useInfiniteQuery({ ...agentErrorsQuery(projectID, agentID, undefined), ...ofErrors }),
    useInfiniteQuery({ ...agentErrorsQuery(projectID, agentID, false), ...ofErrors }),
    useInfiniteQuery({ ...configChangesQuery(projectID, agentID), ...ofErrors }),
  ];
  if (isDeleted(error) || isUnknown(error))
    return <NoAgent projectID={projectID} wasDeleted={isDeleted(error)} />;
  const missing = lists.filter(({ data, isEnabled }) => isEnabled && data === undefined);
  if (agent !== undefined && missing.length === 0)
    return <ShownAgent key={agentID} projectID={projectID} agent={agent} />;
  return (
    <Waiting
      projectID={projectID}
      name={agent?.name}
      error={error ?? missing.find((list) => list.error !== null)?.error ?? null}
      onRetry={() => void Promise.all([refetch(), ...missing.map((list) => list.refetch())])}
    />
  );
}

interface WaitingProps {
  readonly projectID: string;
  readonly name: string | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Instead of the whole screen, because what is wrong would push down what is below it. */
function Waiting({ projectID, name, error, onRetry }: WaitingProps) {
  return (
    <Page title={titleOf(name)} parent={<ToAgents projectID={projectID} />}>
      {error === null ? <Skeleton height={480} /> : <ErrorState error={error} onRetry={onRetry} />}
    </Page>
  );
}

interface ShownAgentProps {
  readonly projectID: string;
  readonly agent: AgentWithConfig;
}

function ShownAgent({ projectID, agent }: ShownAgentProps) {
  const { id: agentID, name, status, configID, coreInstanceID, openError } = agent;
  const may = useMay(projectID);
  const mayReadErrors = may('read:agent_error');
  const search = route.useSearch({ select: readDetailSearch });
  const causeID = openError?.groupID ?? null;
  const { data: cause, isLoading: awaitsCause } = useQuery({
    ...causeQuery(projectID, causeID ?? ''),
    enabled: causeID !== null,
  });
  const { data: site, isLoading: awaitsSite } = useQuery({
    ...siteQuery(projectID, coreInstanceID ?? ''),
    enabled: coreInstanceID !== null && may('read:core_instance'),
  });
  const { data: diff, isLoading: awaitsDiff } = useQuery({
    ...configDiffQuery(projectID, agentID, { from: undefined, to: configID ?? undefined }),
    enabled: mayReadErrors && configID !== null,
  });
  const { data } = useInfiniteQuery({ ...configChangesQuery(projectID, agentID), enabled: mayReadErrors });
  const configs = data?.pages.flatMap(({ items }) => items) ?? [];
  const chosen = configs.find((config) => config.configID === search.config) ?? configs[0];
  // Once it is shown, it stays: what is awaited later is of another error or configuration.
  const [isShown, setIsShown] = useState(false);
  const [asked, setAsked] = useState<PutBack>();
  const isComplete = !awaitsCause && !awaitsSite && !awaitsDiff;
  if (isComplete && !isShown) setIsShown(true);
  if (!isComplete && !isShown)
    return <Waiting projectID={projectID} name={name} error={null} onRetry={() => undefined} />;
  const [newest] = configs;
  const change =
    newest?.configID === configID && newest.came.some(({ groupID }) => groupID === causeID) && diff?.from
      ? { name: configName(diff.to.id, parseDiff(diff.diff)), at: newest.createdAt }
      : undefined;
  return (
    <Page
      title={titleOf(name)}
      heading={
        <>
          <NameText text={name} /> {sentenceOf(agent, cause)}
        </>
      }
      marks={<AgentStatusBadge status={status} />}
      parent={<ToAgents projectID={projectID} />}
      description={<AgentLede agent={agent} change={change} site={site} />}
      actions={
        <>
          {cause !== undefined && <PutAgentBack agent={agent} cause={cause} onAsk={setAsked} />}
          <AgentActions projectID={projectID} agent={agent} />
        </>
      }
    >
      <div className={classes.parts}>
        {mayReadErrors && (
          <div className={classes.column}>
            <AgentErrors projectID={projectID} agentID={agentID} cause={cause} />
            {chosen === undefined ? (
              <Text size="sm" c="dimmed">
                {agentsTexts.noConfigurations}. {agentsTexts.noConfigurationsText}
              </Text>
            ) : (
              <AgentChange
                projectID={projectID}
                agentID={agentID}
                configs={configs}
                chosen={chosen}
                against={search.against}
              />
            )}
            <AgentHistory projectID={projectID} agent={agent} />
          </div>
        )}
        <AgentIdentity
          agent={agent}
          site={site}
          configName={diff && labelOf(parseDiff(diff.diff))}
          hasHistory={mayReadErrors}
        />
      </div>
      <PutBackDialog projectID={projectID} asked={asked} onClose={() => setAsked(undefined)} />
    </Page>
  );
}

function titleOf(name: string | undefined): string {
  return name?.slice(0, 80) ?? agentsTexts.agent;
}

function ToAgents({ projectID }: { readonly projectID: string }) {
  return (
    <Link to="/projects/$projectID/agents" params={{ projectID }}>
      {agentsTexts.title}
    </Link>
  );
}

/** A known agent that was deleted, while somebody looks at it too. */
function isDeleted(error: unknown): boolean {
  return error instanceof MusterError && error.code === 'agent_deleted';
}

/** An address may be mistyped, so that no agent could have such an id. */
function isUnknown(error: unknown): boolean {
  return error instanceof MusterError && (error.status === 404 || error.status === 400);
}

interface NoAgentProps {
  readonly projectID: string;
  readonly wasDeleted: boolean;
}

function NoAgent({ projectID, wasDeleted }: NoAgentProps) {
  return (
    <Page title={agentsTexts.agent}>
      <EmptyState
        title={wasDeleted ? agentsTexts.isDeleted : agentsTexts.isUnknown}
        text={wasDeleted ? agentsTexts.isDeletedText : agentsTexts.isUnknownText}
        action={
          <Link to="/projects/$projectID/agents" params={{ projectID }}>
            {agentsTexts.toAgents}
          </Link>
        }
      />
    </Page>
  );
}
