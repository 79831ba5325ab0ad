import { labelOf, parseDiff } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { configDiffQuery } from '../agents/agent-queries.ts';
import { NameText } from '../parts/name-text.tsx';
import { shortID } from '../parts/short-id.ts';
import { useMay } from '../session/use-may.ts';
import { overviewTexts } from '../texts/overview.ts';

interface RolledOutNameProps {
  readonly projectID: string;
  /** The agent that got it first. */
  readonly agentID: string;
  readonly configID: string;
}

/** What its author calls a configuration, with its hash beside it. */
export default function RolledOutName({ projectID, agentID, configID }: RolledOutNameProps) {
  const mayCompare = useMay(projectID)('read:agent');
  const { data } = useQuery({
    ...configDiffQuery(projectID, agentID, { from: undefined, to: configID }),
    enabled: mayCompare,
  });
  const label = data && labelOf(parseDiff(data.diff));
  return (
    <>
      {label === undefined ? overviewTexts.configurationOn : <NameText text={label} />}{' '}
      <code className={label === undefined ? undefined : 'quiet'}>{shortID(configID)}</code>
    </>
  );
}
