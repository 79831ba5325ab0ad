import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { formatExact } from '../parts/format-time.ts';
import { whenReachable } from '../service/when-reachable.ts';
import { partsTexts } from '../texts/parts.ts';
import classes from './chart.module.css';
import type { ChartProps } from './chart-props.ts';
import { mendLanguage } from './mend-language.ts';

const ChartCanvas = lazy(
  whenReachable(() => {
    mendLanguage(navigator);
    return import('./chart-canvas.tsx');
  }),
);

/** Counts over time, as bars, with a table of the same numbers. */
export function Chart(props: ChartProps) {
  const { title, unit, times, values, marks = [], height = 180 } = props;
  return (
    <figure className={classes.figure} aria-label={title}>
      <Suspense fallback={<Skeleton height={height} />}>
        <div aria-hidden="true">
          <ChartCanvas {...props} height={height} />
        </div>
      </Suspense>
      <details className={classes.details}>
        <summary>{partsTexts.showTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <div className={classes.scroll} tabIndex={0}>
          <table className={classes.table}>
            <caption className="visually-hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{partsTexts.time}</th>
                <th scope="col">{unit}</th>
              </tr>
            </thead>
            <tbody>
              {times.map((time, place) => (
                <tr key={time}>
                  <td>{formatExact(new Date(time).toISOString())}</td>
                  <td>{values[place]?.toLocaleString('en')}</td>
                </tr>
              ))}
              {marks.map(({ at, text }) => (
                <tr key={`${at} ${text}`}>
                  <td>{formatExact(new Date(at).toISOString())}</td>
                  <td>{text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
