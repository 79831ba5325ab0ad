import { causesTexts } from '../../texts/causes.ts';
import { PutBackButton } from './put-back-button.tsx';
import type { PutBack } from './put-back-of.ts';

interface PutBackStepProps {
  readonly projectID: string;
  readonly putBack: PutBack;
  /** What stood in the place of the port that does not answer. */
  readonly port: string | undefined;
  /** What people call the configuration that brought the cause. */
  readonly change: string | undefined;
  readonly onAsk: (putBack: PutBack) => void;
}

/** The last thing to do: the agents get the version before. */
export function PutBackStep({ projectID, putBack, port, change, onAsk }: PutBackStepProps) {
  return (
    <>
      {causesTexts.putVersionBack(putBack.number, port, change)}
      <div>
        <PutBackButton projectID={projectID} putBack={putBack} size="compact-md" onAsk={onAsk} />
      </div>
      <p className="quiet">
        {putBack.kind === 'deploy'
          ? causesTexts.backInStages
          : causesTexts.backToAgents(putBack.rollout.agentsCount.offered)}{' '}
        {causesTexts.closesItself}
      </p>
    </>
  );
}
