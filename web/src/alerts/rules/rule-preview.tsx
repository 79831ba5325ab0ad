import { Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AlertRulePreview } from '@muster/client';
import type { CreateAlertRule } from '@muster/contract';
import { useQuery } from '@tanstack/react-query';
import { explainError } from '../../parts/explain-error.ts';
import { HostileText } from '../../parts/hostile-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { alertsTexts } from '../../texts/alerts.ts';
import { previewQuery } from '../alert-queries.ts';
import classes from './rule-preview.module.css';

interface RulePreviewProps {
  readonly projectID: string;
  /** Undefined while something is missing. */
  readonly body: CreateAlertRule | undefined;
}

const pauseMilliseconds = 300;
const maxShown = 5;

/** What the rule would have told in the last week, while it is filled in. */
export function RulePreview({ projectID, body }: RulePreviewProps) {
  const [settled] = useDebouncedValue(
    body === undefined ? undefined : JSON.stringify(body),
    pauseMilliseconds,
  );
  const asked = settled === undefined ? undefined : (JSON.parse(settled) as CreateAlertRule); // written one line above
  const { data, error } = useQuery(previewQuery(projectID, asked));
  return (
    <section className={classes.preview} aria-label={alertsTexts.preview} aria-live="polite">
      <Text size="xs" fw={600} c="dimmed">
        {alertsTexts.preview}
      </Text>
      {body === undefined ? (
        <Text size="sm">{alertsTexts.previewIncomplete}</Text>
      ) : error !== null ? (
        <Text size="sm" c="var(--muster-bad)">
          {explainError(error).text}
        </Text>
      ) : data === undefined ? (
        <Skeleton height={20} mt={4} />
      ) : (
        <Found preview={data} />
      )}
    </section>
  );
}

function Found({ preview }: { readonly preview: AlertRulePreview }) {
  const { alerts, alertsCount, messagesCount, appliesNow, limits } = preview;
  const hidden = (alertsCount ?? 0) - Math.min(alerts.length, maxShown);
  return (
    <>
      <Text size="sm">
        {alertsCount === null || messagesCount === null
          ? alertsTexts.previewUnknown
          : alertsCount === 0
            ? alertsTexts.previewNothing
            : alertsTexts.previewCount(alertsCount, messagesCount)}{' '}
        {appliesNow !== null && (appliesNow ? alertsTexts.appliesNow : alertsTexts.appliesNotNow)}
      </Text>
      {alerts.length > 0 && (
        <ul className={classes.alerts}>
          {alerts.slice(0, maxShown).map(({ at, subject, title, text }) => (
            <li key={`${at} ${subject}`}>
              <RelativeTime at={at} />
              <div>
                <bdi>{title}</bdi>
                {text !== null && <HostileText text={text} isLine />}
              </div>
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && alerts.length > 0 && (
        <Text size="xs" c="dimmed">
          {alertsTexts.previewMore(hidden)}
        </Text>
      )}
      {limits.map((limit) => (
        <Text key={limit} size="xs" c="dimmed" mt={4}>
          {limit}
        </Text>
      ))}
    </>
  );
}
