import type { Agent } from '@muster/client';
import { labelOf, parseDiff, runVersionOf } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { MarkedText } from '../../parts/marked-text.tsx';
import { shortID } from '../../parts/short-id.ts';
import { Tag } from '../../parts/tag.tsx';
import { useMay } from '../../session/use-may.ts';
import { agentsTexts } from '../../texts/agents.ts';
import { configDiffQuery } from '../agent-queries.ts';

interface AgentRunsProps {
  readonly projectID: string;
  readonly agent: Pick<Agent, 'id' | 'fleet' | 'configID'>;
  /** True: a configuration that no fleet has served is looked for by its label, with a request for each agent. */
  readonly isNamed: boolean;
}

/** What an agent runs: a version of its fleet, otherwise what its author calls it, otherwise its hash. */
export function AgentRuns({ projectID, agent: { id, fleet, configID }, isNamed }: AgentRunsProps) {
  const mayCompare = useMay(projectID)('read:agent');
  const version = runVersionOf(fleet);
  const { data } = useQuery({
    ...configDiffQuery(projectID, id, { from: undefined, to: configID ?? undefined }),
    enabled: mayCompare && isNamed && version === undefined && configID !== null,
  });
  if (version !== undefined) return agentsTexts.versionNumber(version);
  if (configID === null) return <span className="quiet">{agentsTexts.unknown}</span>;
  const label = data && labelOf(parseDiff(data.diff));
  return (
    <>
      {label === undefined ? (
        <code title={configID}>{shortID(configID)}</code>
      ) : (
        <bdi>
          <MarkedText text={label} />
        </bdi>
      )}{' '}
      {fleet?.isDrifted === true && <Tag tone="bad">{agentsTexts.drift}</Tag>}
    </>
  );
}
