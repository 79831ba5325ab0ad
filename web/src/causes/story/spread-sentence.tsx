import type { AgentErrorGroup, AgentErrorGroupOrigin } from '@muster/client';
import type { Change } from '@muster/contract';
import { Link } from '@tanstack/react-router';
import { NameText } from '../../parts/name-text.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { countsAgree } from './counts-agree.ts';

interface SpreadSentenceProps {
  readonly projectID: string;
  readonly origin: AgentErrorGroupOrigin;
  readonly change: Change | undefined;
  readonly cause: AgentErrorGroup;
}

/** Who has it and who does not, in sentences. Nothing while that is from another time than the title. */
export function SpreadSentence({ projectID, origin, change, cause }: SpreadSentenceProps) {
  const { fleetID, affectedCount, affectedConfiguredCount, configuredCount, agentsCount } = origin;
  if (!countsAgree(origin, cause)) return null;
  const others = agentsCount - configuredCount;
  const othersAffected = affectedCount - affectedConfiguredCount;
  return (
    <>
      {fleetID !== null && cause.agentsCount > 1 && (
        <>
          {causesTexts.allInFleet}{' '}
          <Link to="/projects/$projectID/agents" params={{ projectID }} search={{ fleet: fleetID }}>
            <NameText text={fleetID} />
          </Link>
          .{' '}
        </>
      )}
      {/* Tools that write each host's name or address into its configuration make each text another one. */}
      {change !== undefined && othersAffected > affectedConfiguredCount && causesTexts.ownConfigurations}
      {change !== undefined && configuredCount > 0 && othersAffected <= affectedConfiguredCount && (
        <>
          {causesTexts.haveIt(affectedConfiguredCount, configuredCount, change.name)}{' '}
          {others > 0 && <strong>{causesTexts.othersHaveIt(othersAffected, others)}</strong>}
        </>
      )}
    </>
  );
}
