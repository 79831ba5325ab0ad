import { Title } from '@mantine/core';
import type { Fleet } from '@muster/client';
import { fleetsTexts } from '../../texts/fleets.ts';
import type { WhoRunsWhat } from '../who-runs-what.ts';
import classes from './fleet-page.module.css';

interface FleetVerdictProps {
  readonly fleet: Fleet;
  readonly who: WhoRunsWhat;
}

/** What is wrong in a fleet, or what is to be done first. Nothing of one that works. */
export function FleetVerdict({ fleet: { currentVersion }, who }: FleetVerdictProps) {
  const { driftedCount, rejectedCount } = who;
  const isBad = driftedCount > 0 || rejectedCount > 0;
  if (!isBad && currentVersion !== null) return null;
  return (
    <section className={classes.verdict} data-is-bad={isBad || undefined} aria-label={fleetsTexts.now}>
      {driftedCount > 0 && (
        <Finding title={fleetsTexts.driftTitle(driftedCount)} text={fleetsTexts.driftText} />
      )}
      {rejectedCount > 0 && (
        <Finding
          title={fleetsTexts.rejectedTitle(rejectedCount, currentVersion?.number)}
          text={fleetsTexts.rejectedText}
        />
      )}
      {!isBad && <Finding title={fleetsTexts.unservedTitle} text={fleetsTexts.unservedText} />}
    </section>
  );
}

function Finding({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <Title order={2}>{title}</Title>
      <p>{text}</p>
    </div>
  );
}
