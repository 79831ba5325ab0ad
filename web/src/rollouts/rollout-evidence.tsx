import { Title } from '@mantine/core';
import type { Rollout } from '@muster/client';
import { titleOfCause } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { causeQuery } from '../causes/cause-queries.ts';
import { formatNumber, formatShare } from '../parts/amount.ts';
import { HostileText } from '../parts/hostile-text.tsx';
import { Moment } from '../parts/moment.tsx';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { useMay } from '../session/use-may.ts';
import { rolloutsTexts } from '../texts/rollouts.ts';
import { type EvidenceRow, evidenceRows } from './evidence-rows.ts';
import classes from './rollout-page.module.css';
import { isOpen } from './rollout-progress.ts';

/** What the gate compares: agents with the version, and the others. Of a rollout that has ended, as it stood then. */
export function RolloutEvidence({ rollout }: { readonly rollout: Rollout }) {
  const { evidence, projectID } = rollout;
  if (evidence === null) return null;
  const texts = rolloutsTexts.evidence;
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>{texts.title}</Title>
        <span>
          {isOpen(rollout) ? (
            texts.bothGroups
          ) : (
            <>
              {texts.stoodAt} <Moment at={evidence.at} hasSeconds />
              {texts.kept}
            </>
          )}
        </span>
      </div>
      <table className={classes.evidence}>
        <thead>
          <tr>
            <th scope="col">{texts.compares}</th>
            <th scope="col">{texts.updated}</th>
            <th scope="col">{texts.others}</th>
            <th scope="col">{texts.stopsAt}</th>
            <th scope="col">{texts.verdict}</th>
          </tr>
        </thead>
        <tbody>
          {evidenceRows(rollout, evidence).map((row) => (
            <Row key={row.groupID ?? row.kind} row={row} projectID={projectID} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const tones: Readonly<Record<EvidenceRow['verdict'], StatusTone>> = {
  bad: 'bad',
  good: 'good',
  waits: 'quiet',
};

function Row({ row, projectID }: { readonly row: EvidenceRow; readonly projectID: string }) {
  const texts = rolloutsTexts.evidence;
  return (
    <tr>
      <th scope="row">
        {row.groupID === undefined ? (
          texts.rows[row.kind]
        ) : (
          <CauseName projectID={projectID} causeID={row.groupID} />
        )}
      </th>
      <td data-label={texts.updatedShort}>
        <Amount count={row.updated} of={row.updatedOf} isBad={row.verdict === 'bad'} />
      </td>
      <td data-label={texts.othersShort}>
        {row.others === undefined ? (
          <span className="quiet">–</span>
        ) : (
          <Amount count={row.others} of={row.othersOf} />
        )}
      </td>
      <td className={classes.stopsAt}>{row.stopsAt}</td>
      <td>
        <StatusBadge tone={tones[row.verdict]} text={row.says} />
      </td>
    </tr>
  );
}

interface AmountProps {
  readonly count: number;
  readonly of: number | undefined;
  readonly isBad?: boolean;
}

function Amount({ count, of, isBad = false }: AmountProps): ReactNode {
  return (
    <>
      <span className={isBad && count > 0 ? classes.bad : undefined}>{formatNumber(count)}</span>{' '}
      <span className={classes.share}>{of !== undefined && of > 0 && formatShare(count / of)}</span>
    </>
  );
}

function CauseName({ projectID, causeID }: { readonly projectID: string; readonly causeID: string }) {
  const may = useMay(projectID)('read:agent_error');
  const { data: cause } = useQuery({ ...causeQuery(projectID, causeID), enabled: may });
  if (!may) return rolloutsTexts.evidence.aCause;
  return (
    <Link to="/projects/$projectID/causes/$causeID" params={{ projectID, causeID }}>
      {cause === undefined
        ? rolloutsTexts.evidence.aCause
        : (titleOfCause(cause) ?? <HostileText text={cause.pattern} isLine />)}
    </Link>
  );
}
