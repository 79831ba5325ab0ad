import { NativeSelect, Text, Title } from '@mantine/core';
import type { AgentConfigChange } from '@muster/client';
import { configName, parseDiff } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formatMoment } from '../../parts/format-time.ts';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { shortID } from '../../parts/short-id.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useTime } from '../../parts/use-time.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { configDiffQuery } from '../agent-queries.ts';
import classes from './agent-page.module.css';
import { ConfigCauses } from './config-causes.tsx';
import { ConfigDiff } from './config-diff.tsx';

interface AgentChangeProps {
  readonly projectID: string;
  readonly agentID: string;
  /** Those that have been read, the newest first. */
  readonly configs: readonly AgentConfigChange[];
  readonly chosen: AgentConfigChange;
  readonly against: string | undefined;
}

/** What the chosen configuration has changed, and which causes came and went with it. */
export function AgentChange({ projectID, agentID, configs, chosen, against }: AgentChangeProps) {
  const { configID, createdAt, current } = chosen;
  const { data } = useQuery(configDiffQuery(projectID, agentID, { from: against, to: configID }));
  return (
    <section aria-label={agentsTexts.change}>
      <div className={classes.heading}>
        <Title order={2}>
          {agentsTexts.change} {agentsTexts.at} <Moment at={createdAt} />
        </Title>
        <AgainstChoice configs={configs} chosen={chosen} against={against} />
      </div>
      <Text size="sm" mb="xs" component="div" className={classes.config}>
        {data !== undefined && (
          <strong>
            <NameText text={configName(configID, parseDiff(data.diff))} />
          </strong>
        )}
        <code className="quiet">{shortID(configID)}</code>
        {current && <StatusBadge tone="accent" text={agentsTexts.isCurrent} />}
      </Text>
      <ConfigDiff projectID={projectID} agentID={agentID} from={against} to={configID} />
      <ConfigCauses projectID={projectID} change={chosen} />
    </section>
  );
}

interface AgainstChoiceProps {
  readonly configs: readonly AgentConfigChange[];
  readonly chosen: AgentConfigChange;
  readonly against: string | undefined;
}

function AgainstChoice({ configs, chosen, against }: AgainstChoiceProps) {
  const navigate = useNavigate({ from: '/projects/$projectID/agents/$agentID' });
  const time = useTime();
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
          label: `${agentsTexts.compareWith} ${formatMoment(Date.parse(createdAt), time)} (${shortID(configID)})`,
        })),
      ]}
    />
  );
}
