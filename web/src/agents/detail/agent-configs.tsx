import { Button, Group, NativeSelect, Skeleton, Text, Title } from '@mantine/core';
import type { AgentConfigChange } from '@muster/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { ErrorState } from '../../parts/error-state.tsx';
import { formatMoment } from '../../parts/format-time.ts';
import { useNow } from '../../parts/now.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import { partsTexts } from '../../texts/parts.ts';
import { configChangesQuery } from '../agent-queries.ts';
import { AgentConfigItem } from './agent-config-item.tsx';
import classes from './agent-page.module.css';
import { ConfigCauses } from './config-causes.tsx';
import { ConfigDiff } from './config-diff.tsx';
import type { DetailSearch } from './detail-search.ts';

interface AgentConfigsProps {
  readonly projectID: string;
  readonly agentID: string;
  readonly search: DetailSearch;
}

/** The configurations that the agent has run, and what the chosen one has changed. */
export function AgentConfigs({ projectID, agentID, search }: AgentConfigsProps) {
  const query = useInfiniteQuery(configChangesQuery(projectID, agentID));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const configs = data?.pages.flatMap(({ items }) => items);
  const chosen = configs?.find(({ configID }) => configID === search.config) ?? configs?.[0];
  return (
    <>
      <section>
        <Group mih="2.25rem">
          <Title order={2}>{agentsTexts.configurations}</Title>
        </Group>
        {error !== null && configs === undefined && (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
        {configs === undefined && error === null && <Skeleton height={180} mt="xs" />}
        {configs?.length === 0 && (
          <Text size="sm" c="dimmed" mt="xs">
            {agentsTexts.noConfigurations}. {agentsTexts.noConfigurationsText}
          </Text>
        )}
        {configs !== undefined && configs.length > 0 && (
          <ol className={classes.list}>
            {configs.map((change) => (
              <AgentConfigItem
                key={change.configID}
                projectID={projectID}
                agentID={agentID}
                change={change}
                isChosen={change === chosen}
              />
            ))}
          </ol>
        )}
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
      {configs !== undefined && chosen !== undefined && (
        <section className={classes.wide} aria-labelledby="change">
          <Group mb="sm" gap="sm">
            <Title order={2} id="change">
              {agentsTexts.change}
            </Title>
            <AgainstChoice configs={configs} chosen={chosen} against={search.against} />
          </Group>
          <ConfigCauses projectID={projectID} change={chosen} />
          <ConfigDiff projectID={projectID} agentID={agentID} from={search.against} to={chosen.configID} />
        </section>
      )}
    </>
  );
}

interface AgainstChoiceProps {
  readonly configs: readonly AgentConfigChange[];
  readonly chosen: AgentConfigChange;
  readonly against: string | undefined;
}

function AgainstChoice({ configs, chosen, against }: AgainstChoiceProps) {
  const navigate = useNavigate({ from: '/projects/$projectID/agents/$agentID' });
  const now = useNow();
  const time = useSyncExternalStore(now.subscribe, now.get);
  const others = configs.filter(({ configID }) => configID !== chosen.configID);
  if (others.length < 2) return null;
  return (
    <NativeSelect
      size="xs"
      aria-label={agentsTexts.compareWith}
      value={against ?? ''}
      onChange={({ currentTarget: { value } }) =>
        void navigate({
          search: ({ config }) => ({
            ...(config === undefined ? {} : { config }),
            ...(value === '' ? {} : { against: value }),
          }),
          replace: true,
          resetScroll: false,
        })
      }
      data={[
        { value: '', label: `${agentsTexts.compareWith} ${agentsTexts.before}` },
        ...others.map(({ configID, createdAt }) => ({
          value: configID,
          label: `${agentsTexts.compareWith} ${formatMoment(Date.parse(createdAt), time)} (${configID.slice(-8)})`,
        })),
      ]}
    />
  );
}
