import type { AgentWithConfig, CoreInstance } from '@muster/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { HostileText } from '../../parts/hostile-text.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import classes from './agent-page.module.css';
import { FleetFact } from './fleet-fact.tsx';

interface AgentIdentityProps {
  readonly agent: AgentWithConfig;
  /** The one that last spoke for it. Undefined: none, or not known. */
  readonly site: CoreInstance | undefined;
}

/** Who the agent says that it is. All of it comes from the agent, so it is shown as text. */
export function AgentIdentity({ agent, site }: AgentIdentityProps) {
  const { machineID, id, type, version, edition, os, arch, fleetID, tags, flags, metadata } = agent;
  return (
    <section className={`${classes.card} ${classes.wide}`} aria-label={agentsTexts.identity}>
      <dl className={classes.facts}>
        <Fact name={agentsTexts.machine} text={machineID} />
        {agent.fleet === null ? (
          <Fact name={agentsTexts.fleet} text={fleetID} />
        ) : (
          <Fact name={agentsTexts.fleet}>
            <FleetFact projectID={agent.projectID} fleet={agent.fleet} />
          </Fact>
        )}
        <Fact name={agentsTexts.type} text={joined(type, version, edition)} />
        <Fact name={agentsTexts.platform} text={joined(os, arch)} />
        {agent.coreInstanceID !== null && (
          <Fact name={agentsTexts.site}>
            <Link
              to="/projects/$projectID/sites/$siteID"
              params={{ projectID: agent.projectID, siteID: agent.coreInstanceID }}
            >
              <NameText text={site?.name ?? agent.coreInstanceID} />
            </Link>
          </Fact>
        )}
        {tags.length > 0 && <Fact name={agentsTexts.tags} text={tags.join(', ')} />}
        {flags.length > 0 && <Fact name={agentsTexts.flags} text={flags.join(' ')} />}
        <Fact name={agentsTexts.id} text={id} />
        <Fact name={agentsTexts.registered}>
          <RelativeTime at={agent.createdAt} />
        </Fact>
        <TokenFact agent={agent} />
      </dl>
      {Object.keys(metadata).length > 0 && (
        <details className={classes.details}>
          <summary>{agentsTexts.metadata}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className={classes.scroll} tabIndex={0} aria-label={agentsTexts.metadata}>
            <HostileText text={JSON.stringify(metadata, null, 2)} maxLength={4_000} />
          </section>
        </details>
      )}
    </section>
  );
}

/** How its token came to it: the value itself is known to the agent alone. */
function TokenFact({
  agent: { reregisteredAt, reregisteredFrom, releasedAt },
}: {
  readonly agent: AgentWithConfig;
}) {
  return (
    <Fact name={agentsTexts.token}>
      {reregisteredAt === null ? (
        agentsTexts.tokenText
      ) : (
        <>
          {agentsTexts.reregistered} <RelativeTime at={reregisteredAt} /> {agentsTexts.reregisteredText}{' '}
          <code>{reregisteredFrom}</code>
        </>
      )}
      {releasedAt !== null && ` ${agentsTexts.releasedText}`}
    </Fact>
  );
}

interface FactProps {
  readonly name: string;
  readonly text?: string | null;
  readonly children?: ReactNode;
}

function Fact({ name, text, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children ??
          (text === null || text === undefined || text === '' ? (
            <span className="quiet">{agentsTexts.unknown}</span>
          ) : (
            <HostileText text={text} maxLength={256} />
          ))}
      </dd>
    </div>
  );
}

function joined(...texts: readonly (string | null)[]): string {
  return texts.filter((text) => text !== null && text !== '').join(' ');
}
