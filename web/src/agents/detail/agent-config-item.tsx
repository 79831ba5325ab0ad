import type { AgentConfigChange } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import classes from './agent-page.module.css';

interface AgentConfigItemProps {
  readonly projectID: string;
  readonly agentID: string;
  readonly change: AgentConfigChange;
  readonly isChosen: boolean;
}

/** One configuration of the history, which leads to what it has changed. */
export function AgentConfigItem({ projectID, agentID, change, isChosen }: AgentConfigItemProps) {
  const { configID, createdAt, current, errorsCount, cameCount, wentCount } = change;
  return (
    <li className={isChosen ? classes.chosen : undefined}>
      <Link
        to="/projects/$projectID/agents/$agentID"
        params={{ projectID, agentID }}
        search={{ config: configID }}
        replace
        resetScroll={false}
        preload={false}
        className={classes.item}
        aria-current={isChosen}
      >
        <RelativeTime at={createdAt} /> <code className="quiet">{configID.slice(-8)}</code>
        <span className={classes.marks}>
          {current && <StatusBadge tone="accent" text={agentsTexts.isCurrent} />}
          <span>{agentsTexts.errorsOf(errorsCount)}</span>
          <span>{agentsTexts.causesChanged(cameCount, wentCount)}</span>
        </span>
      </Link>
    </li>
  );
}
