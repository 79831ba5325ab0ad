import { Title } from '@mantine/core';
import type { Rollout } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../parts/amount.ts';
import { Moment } from '../parts/moment.tsx';
import { NameText } from '../parts/name-text.tsx';
import { rolloutsTexts } from '../texts/rollouts.ts';
import classes from './rollout-page.module.css';
import { reachedCountOf } from './rollout-progress.ts';

/** The first agents that ran the version when its rollout ended. */
export function ReachedAgents({ rollout: { projectID, evidence } }: { readonly rollout: Rollout }) {
  if (evidence === null || evidence.agents.length === 0) return null;
  const texts = rolloutsTexts.reachedAgents;
  const count = reachedCountOf(evidence);
  return (
    <section>
      <div className={classes.heading}>
        <Title order={2}>
          {texts.title} <span className="quiet">{formatNumber(count)}</span>
        </Title>
        {evidence.agents.length < count && <span>{texts.first(evidence.agents.length)}</span>}
      </div>
      <table className={classes.evidence} data-is-narrow>
        <thead>
          <tr>
            <th scope="col">{rolloutsTexts.agent}</th>
            <th scope="col">{texts.applied}</th>
            <th scope="col">{texts.firstError}</th>
          </tr>
        </thead>
        <tbody>
          {evidence.agents.map(({ agentID, name, appliedAt, reportedAt }) => (
            <tr key={agentID}>
              <th scope="row">
                <Link
                  to="/projects/$projectID/agents/$agentID"
                  params={{ projectID, agentID }}
                  preload={false}
                >
                  <NameText text={name} />
                </Link>
              </th>
              <td data-label={texts.applied}>
                <Moment at={appliedAt} hasSeconds />
              </td>
              <td data-label={texts.firstError}>
                {reportedAt === null ? (
                  <span className="quiet">–</span>
                ) : (
                  <span className={classes.bad}>
                    <Moment at={reportedAt} hasSeconds />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
