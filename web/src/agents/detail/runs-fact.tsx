import type { AgentWithConfig } from '@muster/client';
import { runVersionOf } from '@muster/contract';
import { Link } from '@tanstack/react-router';
import { NameText } from '../../parts/name-text.tsx';
import { shortID } from '../../parts/short-id.ts';
import { StatusBadge, type StatusTone } from '../../parts/status-badge.tsx';
import { Tag } from '../../parts/tag.tsx';
import { useMay } from '../../session/use-may.ts';
import { agentsTexts } from '../../texts/agents.ts';

type Fleet = NonNullable<AgentWithConfig['fleet']>;

interface FleetLinkProps {
  readonly projectID: string;
  readonly fleet: Fleet;
}

export function FleetLink({ projectID, fleet: { id: fleetID, name } }: FleetLinkProps) {
  const mayRead = useMay(projectID)('read:fleet');
  if (!mayRead) return <NameText text={name} />;
  return (
    <Link to="/projects/$projectID/fleets/$fleetID" params={{ projectID, fleetID }}>
      <NameText text={name} />
    </Link>
  );
}

/** The version that is for the agent, and how far it is with it. */
export function ShouldRun({ fleet: { versionNumber, state } }: Pick<FleetLinkProps, 'fleet'>) {
  if (versionNumber === null) return null;
  const text = agentsTexts.versionNumber(versionNumber) + agentsTexts.versionIs[state];
  return state === 'applied' ? text : <StatusBadge tone={tones[state]} text={text} />;
}

interface RunsProps {
  readonly fleet: Fleet | null;
  readonly configID: string;
  readonly configName: string | undefined;
}

/** What it runs: a version of its fleet, or what people call it, and its hash. */
export function Runs({ fleet, configID, configName }: RunsProps) {
  const version = runVersionOf(fleet);
  const hash = <code title={configID}>{shortID(configID)}</code>;
  if (version !== undefined)
    return (
      <>
        {agentsTexts.versionNumber(version)} {hash}
      </>
    );
  return (
    <>
      {configName !== undefined && (
        <>
          <NameText text={configName} />{' '}
        </>
      )}
      {hash} {fleet?.isDrifted === true && <Tag tone="bad">{agentsTexts.drift}</Tag>}
    </>
  );
}

const tones: Readonly<Record<Fleet['state'], StatusTone>> = {
  unknown: 'unknown',
  offered: 'quiet',
  downloaded: 'accent',
  applied: 'good',
  rejected: 'bad',
};
