import { Button, Text } from '@mantine/core';
import type { AlertChannel, AlertDelivery, AlertRule } from '@muster/client';
import { Link } from '@tanstack/react-router';
import { HostileText } from '../../parts/hostile-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { StatusBadge, type StatusTone } from '../../parts/status-badge.tsx';
import { useMay } from '../../session/use-may.ts';
import { alertsTexts } from '../../texts/alerts.ts';
import { Card } from '../card-list.tsx';
import { thingsTold } from '../rules/things-told.ts';
import { type ChannelAction, ChannelActions } from './channel-actions.tsx';
import classes from './channel-card.module.css';

interface ChannelCardProps {
  readonly projectID: string;
  readonly channel: AlertChannel;
  /** All of the project. Undefined: they are not known yet. */
  readonly rules: readonly AlertRule[] | undefined;
  readonly onCreateRule: () => void;
  /** What became of the last test of it. */
  readonly tested: AlertDelivery | undefined;
  readonly onTested: (delivery: AlertDelivery) => void;
  readonly onAction: (action: ChannelAction) => void;
}

const tones: Readonly<Record<AlertChannel['status'], StatusTone>> = {
  active: 'good',
  failing: 'bad',
  disabled: 'quiet',
};

export function ChannelCard({ projectID, channel, rules, tested, ...on }: ChannelCardProps) {
  const { onCreateRule, onTested, onAction } = on;
  const may = useMay(projectID);
  const { name, kind, target, status, failingSince, lastFailure, disabledReason, lastDeliveredAt } = channel;
  const { quietHours } = channel;
  const things = rules && thingsTold(channel.id, rules);
  const isToldNothing = things?.length === 0;
  return (
    <Card
      title={
        <>
          <bdi>{name}</bdi>
          {isToldNothing && status === 'active' ? (
            <StatusBadge tone="warning" text={alertsTexts.toldOfNothing} />
          ) : (
            <StatusBadge tone={tones[status]} text={alertsTexts.status[status]} />
          )}
        </>
      }
      actions={
        <ChannelActions projectID={projectID} channel={channel} onTested={onTested} onAction={onAction} />
      }
    >
      <div>
        {alertsTexts.channelKinds[kind]}
        {kind !== 'dashboard' && (
          <>
            : <bdi>{target}</bdi>
          </>
        )}
      </div>
      {isToldNothing && (
        <div className={classes.told}>
          {status !== 'active' && alertsTexts.toldOfNothing}
          {may('create:webhook') && (
            <Button
              size="compact-sm"
              aria-label={`${alertsTexts.createRuleFor(name)}…`}
              onClick={onCreateRule}
            >
              {`${alertsTexts.createRule}…`}
            </Button>
          )}
        </div>
      )}
      {things !== undefined && !isToldNothing && (
        <div>{alertsTexts.toldOf(things.map((kind) => alertsTexts.things[kind]).join(', '))}</div>
      )}
      {disabledReason !== null && <div>{disabledReason}</div>}
      {failingSince !== null && (
        <Text size="sm" c="var(--muster-bad)" component="div">
          {alertsTexts.failingSince} <RelativeTime at={failingSince} />
          {lastFailure !== null && (
            <>
              : <HostileText text={lastFailure} maxLength={300} />
            </>
          )}
        </Text>
      )}
      <Text size="sm" c="dimmed" component="div">
        {lastDeliveredAt === null ? (
          alertsTexts.noMessageYet
        ) : (
          <>
            {alertsTexts.lastDelivered} <RelativeTime at={lastDeliveredAt} />
          </>
        )}
      </Text>
      {quietHours !== null && (
        <Text size="sm" c="dimmed">
          {alertsTexts.quietHours(quietHours.from, quietHours.until, quietHours.timeZone)}
        </Text>
      )}
      <Link
        to="/projects/$projectID/alerts"
        params={{ projectID }}
        search={{ section: 'messages', channel: channel.id }}
        aria-label={alertsTexts.messagesOf(name)}
      >
        {alertsTexts.sections.messages}
      </Link>
      {tested !== undefined && <TestResult tested={tested} />}
    </Card>
  );
}

function TestResult({ tested: { state, failure, answerStatus } }: { readonly tested: AlertDelivery }) {
  const answered = answerStatus === null ? '' : alertsTexts.answered(answerStatus);
  return (
    <Text
      size="sm"
      role="status"
      mt={4}
      c={state === 'delivered' ? 'var(--muster-good)' : 'var(--muster-bad)'}
    >
      {state === 'delivered' ? alertsTexts.testDelivered(answered) : alertsTexts.testFailed(failure ?? '')}
    </Text>
  );
}
