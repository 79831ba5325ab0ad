import { Title } from '@mantine/core';
import type { AgentWithConfig, CoreInstance } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NameText } from '../../parts/name-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { agentsTexts } from '../../texts/agents.ts';
import classes from './agent-page.module.css';
import { LastHour } from './last-hour.tsx';
import { FleetLink, Runs, ShouldRun } from './runs-fact.tsx';

interface AgentIdentityProps {
  readonly agent: AgentWithConfig;
  /** The one that last spoke for it. Undefined: none, or not known. */
  readonly site: CoreInstance | undefined;
  /** What people call the configuration that it runs. Undefined: it has sent none, or that is not known. */
  readonly configName: string | undefined;
  /** False: the user may not read its errors, which say how it was. */
  readonly hasHistory: boolean;
}

/** Who the agent says that it is. All of it comes from the agent, so it is shown as text. */
export function AgentIdentity({ agent, site, configName, hasHistory }: AgentIdentityProps) {
  const { projectID, machineID, id, type, version, edition, os, arch, fleet, fleetID } = agent;
  const { tags, flags, metadata, coreInstanceID, configID } = agent;
  const facts: readonly (Fact | false)[] = [
    {
      name: agentsTexts.fleet,
      value: fleet === null ? <Said text={fleetID} /> : <FleetLink projectID={projectID} fleet={fleet} />,
    },
    fleet !== null &&
      fleet.versionNumber !== null && { name: agentsTexts.shouldRun, value: <ShouldRun fleet={fleet} /> },
    configID !== null && {
      name: agentsTexts.runs,
      value: <Runs fleet={fleet} configID={configID} configName={configName} />,
    },
    coreInstanceID !== null && {
      name: agentsTexts.site,
      value: (
        <Link to="/projects/$projectID/sites/$siteID" params={{ projectID, siteID: coreInstanceID }}>
          <NameText text={site?.name ?? coreInstanceID} />
        </Link>
      ),
    },
    { name: agentsTexts.machine, value: <Said text={machineID} /> },
    { name: agentsTexts.type, value: <Said text={joined(type, version, edition)} /> },
    { name: agentsTexts.platform, value: <Said text={joined(os, arch)} /> },
    tags.length > 0 && { name: agentsTexts.tags, value: <Said text={tags.join(', ')} /> },
    flags.length > 0 && { name: agentsTexts.flags, value: <Said text={flags.join(' ')} /> },
    { name: agentsTexts.token, value: <TokenFact agent={agent} /> },
    { name: agentsTexts.registered, value: <Moment at={agent.createdAt} /> },
    { name: agentsTexts.id, value: <Said text={id} /> },
  ];
  return (
    <section className={classes.about}>
      <Title order={2} mb="xs">
        {agentsTexts.identity}
      </Title>
      <div className={classes.card}>
        <Facts facts={facts.filter((fact) => fact !== false)} />
        {Object.keys(metadata).length > 0 && (
          <details className={classes.details}>
            <summary>{agentsTexts.metadata}</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <section className={classes.scroll} tabIndex={0} aria-label={agentsTexts.metadata}>
              <HostileText text={JSON.stringify(metadata, null, 2)} maxLength={4_000} />
            </section>
          </details>
        )}
      </div>
      {hasHistory && <LastHour agent={agent} />}
    </section>
  );
}

/** How its token came to it: the value itself is known to the agent alone. */
function TokenFact({
  agent: { reregisteredAt, reregisteredFrom, releasedAt },
}: Pick<AgentIdentityProps, 'agent'>) {
  return (
    <>
      {reregisteredAt === null ? (
        agentsTexts.tokenText
      ) : (
        <>
          {agentsTexts.reregistered} <RelativeTime at={reregisteredAt} /> {agentsTexts.reregisteredText}{' '}
          <code>{reregisteredFrom}</code>
        </>
      )}
      {releasedAt !== null && ` ${agentsTexts.releasedText}`}
    </>
  );
}

function Said({ text }: { readonly text: string | null }) {
  if (text === null || text === '') return <span className="quiet">{agentsTexts.unknown}</span>;
  return <HostileText text={text} maxLength={256} />;
}

function joined(...texts: readonly (string | null)[]): string {
  return texts.filter((text) => text !== null && text !== '').join(' ');
}
