import type { AgentErrorGroup, AgentWithConfig } from '@muster/client';
import { visibleText } from '@muster/contract';
import { PutBackButton } from '../../causes/detail/put-back-button.tsx';
import type { PutBack } from '../../causes/detail/put-back-of.ts';
import { usePutBack } from '../../causes/detail/use-put-back.ts';

interface PutAgentBackProps {
  readonly agent: AgentWithConfig;
  /** What is wrong with it. */
  readonly cause: AgentErrorGroup;
  readonly onAsk: (putBack: PutBack) => void;
}

/** The version that the fleet of the agent had before, if what is wrong with it came with a version of that fleet. */
export function PutAgentBack({ agent: { projectID, fleet }, cause, onAsk }: PutAgentBackProps) {
  const putBack = usePutBack(projectID, cause);
  if (putBack === undefined) return null;
  const fleetID = putBack.kind === 'deploy' ? putBack.fleetID : putBack.rollout.fleetID;
  if (fleet?.id !== fleetID) return null;
  return (
    <PutBackButton
      projectID={projectID}
      putBack={putBack}
      fleetName={visibleText(fleet.name)}
      onAsk={onAsk}
    />
  );
}
