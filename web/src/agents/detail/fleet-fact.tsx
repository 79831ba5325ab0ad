import type { AgentWithConfig } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { NameText } from '../../parts/name-text.tsx';
import { StatusBadge, type StatusTone } from '../../parts/status-badge.tsx';
import { useMay } from '../../session/use-may.ts';
import { agentsTexts } from '../../texts/agents.ts';

interface FleetFactProps {
  readonly projectID: string;
  readonly fleet: NonNullable<AgentWithConfig['fleet']>;
}

/** Its fleet, and how far it is with the version that it is to run. */
export function FleetFact({ projectID, fleet }: FleetFactProps) {
  const { id: fleetID, name, versionNumber, state, isDrifted } = fleet;
  const mayRead = useMay(projectID)('read:fleet');
  return (
    <>
      {mayRead ? (
        <Link to="/projects/$projectID/fleets/$fleetID" params={{ projectID, fleetID }}>
          <NameText text={name} />
        </Link>
      ) : (
        <NameText text={name} />
      )}
      {versionNumber !== null && (
        <>
          {', '}
          {isDrifted ? (
            <StatusBadge tone="bad" text={agentsTexts.drifted(versionNumber)} />
          ) : (
            <StatusBadge tone={fleetTones[state]} text={agentsTexts.fleetStates[state](versionNumber)} />
          )}
        </>
      )}
    </>
  );
}

const fleetTones: Readonly<Record<FleetFactProps['fleet']['state'], StatusTone>> = {
  unknown: 'unknown',
  offered: 'quiet',
  downloaded: 'accent',
  applied: 'good',
  rejected: 'bad',
};
