import type { AgentWithConfig, CoreInstance } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import classes from './agent-page.module.css';

interface AgentLedeProps {
  readonly agent: AgentWithConfig;
  /** What people call the configuration with which its error came. Undefined: it came with none, or that is not known. */
  readonly change: { readonly name: string; readonly at: string } | undefined;
  /** The one that last spoke for it. Undefined: none, or not known. */
  readonly site: CoreInstance | undefined;
}

interface AfterProps {
  readonly change: { readonly name: string; readonly at: string };
  readonly statusSince: string;
}

/** Since when the agent is in its state, after what, and what that means. */
export function AgentLede({ agent, change, site }: AgentLedeProps) {
  const { status, statusSince, statusReason, openError, lastSeenAt } = agent;
  const meaning =
    status === 'unhealthy' ? (openError === null ? statusReason : null) : agentsTexts.statusMeanings[status];
  return (
    <p className={classes.lede}>
      <strong>
        {agentsTexts.since} <Moment at={statusSince} hasSeconds />
        {change !== undefined && <After change={change} statusSince={statusSince} />}.
      </strong>{' '}
      {site?.status === 'unreachable' && <SiteIsAway site={site} />} {meaning} {agentsTexts.lastHeard}{' '}
      <RelativeTime at={lastSeenAt} />.
    </p>
  );
}

/** An agent reports an error of its configuration within so long. */
const withinMilliseconds = 60_000;

/** What it changed to, and when if that is not when it got its state: the error may have been dismissed and come back. */
function After({ change: { name, at }, statusSince }: AfterProps) {
  const isWhen = Math.abs(Date.parse(statusSince) - Date.parse(at)) < withinMilliseconds;
  return (
    <>
      , {isWhen ? agentsTexts.whenItChanged : agentsTexts.afterItChanged} <NameText text={name} />
      {!isWhen && (
        <>
          {' '}
          {agentsTexts.at} <Moment at={at} />
        </>
      )}
    </>
  );
}

/** Nothing arrives from its site, so that nobody knows how the agent is. */
function SiteIsAway({ site: { id: siteID, projectID, name } }: { readonly site: CoreInstance }) {
  return (
    <>
      {agentsTexts.itsSite}{' '}
      <Link to="/projects/$projectID/sites/$siteID" params={{ projectID, siteID }}>
        <NameText text={name} />
      </Link>{' '}
      {agentsTexts.siteUnreachable}
    </>
  );
}
