import { Title } from '@mantine/core';
import type { AgentErrorGroupOrigin } from '@muster/client';
import type { Change } from '@muster/contract';
import { NameText } from '../../parts/name-text.tsx';
import { causesTexts } from '../../texts/causes.ts';
import classes from './cause-page.module.css';

interface WhoHasItProps {
  readonly origin: AgentErrorGroupOrigin;
  readonly change: Change;
}

/** Of the agents with the configuration that came first, and of all others, how many have the cause: whether it is the configuration. */
export function WhoHasIt({ origin, change }: WhoHasItProps) {
  const { affectedCount, affectedConfiguredCount, configuredCount, agentsCount } = origin;
  return (
    <section className={classes.who}>
      <Title order={2}>{causesTexts.whoHasIt}</Title>
      <dl className={classes.bars}>
        <Bar
          name={causesTexts.withConfiguration(change.name)}
          affected={affectedConfiguredCount}
          all={configuredCount}
        />
        <Bar
          name={causesTexts.otherAgents}
          affected={affectedCount - affectedConfiguredCount}
          all={agentsCount - configuredCount}
        />
      </dl>
    </section>
  );
}

interface BarProps {
  readonly name: string;
  readonly affected: number;
  readonly all: number;
}

function Bar({ name, affected, all }: BarProps) {
  return (
    <div>
      <dt>
        <NameText text={name} />
      </dt>
      <dd className="number">{causesTexts.countOf(affected, all)}</dd>
      <div className={classes.bar} aria-hidden="true">
        <div style={{ width: `${(affected / Math.max(1, all)) * 100}%` }} />
      </div>
    </div>
  );
}
