import type { AgentErrorGroup } from '@muster/client';
import { MarkedText } from '../parts/marked-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { causesTexts } from '../texts/causes.ts';
import classes from './cause-columns.module.css';
import { useStory } from './story/use-story.ts';

interface CauseSinceProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
}

/** When a cause began or came back, and below it why: the configuration it came with, or the only agent that has it. */
export function CauseSince({ projectID, cause }: CauseSinceProps) {
  const { firstSeenAt, regressedAt, isNew, firstConfigID, agentsCount } = cause;
  const { origin, began } = useStory(projectID, cause, {
    enabled: isNew && regressedAt === null && firstConfigID !== null,
    isCounted: false,
  });
  const { first = null } = origin ?? {};
  return (
    <>
      <div>
        <Moment at={regressedAt ?? firstSeenAt} isShort />
      </div>
      <div className={classes.reason}>
        {regressedAt !== null ? (
          <>
            {causesTexts.firstSeenAt} <Moment at={firstSeenAt} isShort />
          </>
        ) : began !== undefined ? (
          <bdi>
            <MarkedText text={began.name} />
          </bdi>
        ) : (
          first !== null &&
          agentsCount === 1 && (
            <>
              <bdi>
                <MarkedText text={first.agentName} />
              </bdi>{' '}
              {causesTexts.alone}
            </>
          )
        )}
      </div>
    </>
  );
}
