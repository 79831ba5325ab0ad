import { Title } from '@mantine/core';
import type { Fleet } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber, formatShare } from '../../parts/amount.ts';
import { Command } from '../../parts/command.tsx';
import { rootURL } from '../../service/root-url.ts';
import { useMay } from '../../session/use-may.ts';
import { fleetsTexts } from '../../texts/fleets.ts';
import { agentLines } from '../agent-lines.ts';
import { keyOf, ShareBar } from '../run-bar.tsx';
import type { Run, WhoRunsWhat } from '../who-runs-what.ts';
import classes from './fleet-page.module.css';

interface RunTableProps {
  readonly fleet: Fleet;
  readonly who: WhoRunsWhat;
}

/** Who runs what, a row for each configuration. Without agents, how one joins. */
export function RunTable({ fleet, who }: RunTableProps) {
  const { id, projectID, name } = fleet;
  const mayList = useMay(projectID)('read:agent');
  if (who.agentsCount === 0)
    return (
      <section>
        <Title order={2}>{fleetsTexts.nobodyRuns}</Title>
        <p className={classes.hint}>{fleetsTexts.nobodyRunsText}</p>
        <Command command={agentLines(rootURL, name)} />
        <p className={classes.hint}>{fleetsTexts.linesText}</p>
      </section>
    );
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{fleetsTexts.whoRunsWhat}</Title>
        {mayList && (
          <Link to="/projects/$projectID/agents" params={{ projectID }} search={{ fleet: id }}>
            {fleetsTexts.showAgents}
          </Link>
        )}
      </div>
      <table className={classes.runs}>
        <thead>
          <tr>
            <th scope="col">{fleetsTexts.configuration}</th>
            <td className={classes.share} />
            <th scope="col" className={classes.end}>
              {fleetsTexts.agents}
            </th>
            <th scope="col" className={classes.end}>
              {fleetsTexts.unhealthy}
            </th>
          </tr>
        </thead>
        <tbody>
          {who.runs.map((run) => (
            <RunRow key={keyOf(run)} run={run} all={who.agentsCount} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function RunRow({ run, all }: { readonly run: Run; readonly all: number }) {
  const { agentsCount, unhealthyCount } = run;
  return (
    <tr>
      <th scope="row">{nameOf(run)}</th>
      <td className={classes.share}>
        <ShareBar run={run} all={all} />
      </td>
      <td className={classes.end}>
        {formatNumber(agentsCount)} <span className="quiet">{formatShare(agentsCount / all)}</span>
      </td>
      <td className={classes.end}>
        <span className={unhealthyCount > 0 ? classes.bad : 'quiet'}>{formatNumber(unhealthyCount)}</span>{' '}
        {unhealthyCount > 0 && <span className="quiet">{formatShare(unhealthyCount / agentsCount)}</span>}
      </td>
    </tr>
  );
}

function nameOf({ kind, number }: Run) {
  const { runKinds } = fleetsTexts;
  switch (kind) {
    case 'drifted':
      return (
        <>
          {runKinds.drifted}{' '}
          {number !== null && <span className={classes.detail}>{fleetsTexts.driftFrom(number)}</span>}
        </>
      );
    case 'unknown':
      return (
        <>
          {runKinds.unknown} <span className={classes.detail}>{fleetsTexts.unknownRun}</span>
        </>
      );
    case 'served':
      return (
        <>
          {runKinds.served} {number} <span className={classes.detail}>{fleetsTexts.served}</span>
        </>
      );
    case 'other':
      return (
        <>
          {runKinds.other} {number}
        </>
      );
  }
}
