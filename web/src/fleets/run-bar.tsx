import { fleetsTexts } from '../texts/fleets.ts';
import classes from './run-bar.module.css';
import type { Run, WhoRunsWhat } from './who-runs-what.ts';

/** Versions that have a part of their own in the bar of a list. */
const maxParts = 4;

/** Who runs what, as one bar with its figures. */
export function RunBar({ who: { runs } }: { readonly who: WhoRunsWhat }) {
  const shown = runs.slice(0, maxParts);
  return (
    <>
      <div className={classes.bar} aria-hidden="true">
        {runs.map((run) => (
          <div key={keyOf(run)} data-kind={run.kind} style={{ flexGrow: run.agentsCount }} />
        ))}
      </div>
      <ul className={classes.legend}>
        {shown.map((run) => (
          <li key={keyOf(run)} data-kind={run.kind} className="number">
            {legendOf(run)}
          </li>
        ))}
        {runs.length === 0 && <li>{fleetsTexts.nobody}</li>}
      </ul>
    </>
  );
}

/** How many of all, as a bar in the colour of what they run. */
export function ShareBar({ run, all }: { readonly run: Run; readonly all: number }) {
  return (
    <div className={classes.bar} aria-hidden="true">
      <div data-kind={run.kind} style={{ flexGrow: run.agentsCount }} />
      <div className={classes.rest} style={{ flexGrow: all - run.agentsCount }} />
    </div>
  );
}

export function keyOf({ kind, versionID }: Run): string {
  return `${kind} ${versionID}`;
}

function legendOf({ kind, agentsCount, number }: Run): string {
  return fleetsTexts.runLegend[kind](agentsCount, number ?? 0);
}
