import { Title } from '@mantine/core';
import type { AgentErrorGroup } from '@muster/client';
import type { Change } from '@muster/contract';
import { useState } from 'react';
import { type ChartRange, rangeOptions, rangeSince } from '../../chart/chart-range.ts';
import { Choice } from '../../parts/choice.tsx';
import { causesTexts } from '../../texts/causes.ts';
import { LevelChart } from '../story/level-chart.tsx';
import classes from './cause-page.module.css';

interface CauseTrendSectionProps {
  readonly projectID: string;
  readonly cause: AgentErrorGroup;
  readonly change: Change | undefined;
}

/** How the cause spread. It opens on the shortest time that shows how it began. */
export function CauseTrendSection({ projectID, cause, change }: CauseTrendSectionProps) {
  const [opened] = useState(() => rangeSince(beginOf(cause), Date.now()));
  const [range, setRange] = useState<ChartRange>(opened);
  return (
    <section className={classes.trend}>
      <div className={classes.heading}>
        <Title order={2}>{causesTexts.agentsWithCause}</Title>
        <Choice
          label={causesTexts.range}
          options={rangeOptions(causesTexts.ranges)}
          value={range}
          onChange={setRange}
        />
      </div>
      <LevelChart projectID={projectID} cause={cause} change={change} range={range} height={180} />
    </section>
  );
}

/** When it began, or came back. */
function beginOf({ firstSeenAt, regressedAt }: Pick<AgentErrorGroup, 'firstSeenAt' | 'regressedAt'>): number {
  return Date.parse(regressedAt ?? firstSeenAt);
}
