import { Modal } from '@mantine/core';
import type { AlertDelivery } from '@muster/client';
import { formatNumber } from '../../parts/amount.ts';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { HostileText } from '../../parts/hostile-text.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { alertsTexts } from '../../texts/alerts.ts';
import { MessageState } from './message-state.tsx';

interface MessageDialogProps {
  readonly message: AlertDelivery;
  readonly channelName: string;
  readonly onClose: () => void;
}

/** What became of a message. */
export function MessageDialog({ message, channelName, onClose }: MessageDialogProps) {
  const { title, state, attempts, failure, answer, answerStatus, milliseconds } = message;
  const time = (name: string, at: string | null): Fact[] =>
    at === null ? [] : [{ name, value: <RelativeTime at={at} /> }];
  const facts: Fact[] = [
    { name: alertsTexts.message, value: <bdi>{title}</bdi> },
    { name: alertsTexts.channel, value: <bdi>{channelName}</bdi> },
    { name: alertsTexts.state, value: <MessageState state={state} /> },
    { name: alertsTexts.attempts, value: formatNumber(attempts) },
    ...time(alertsTexts.sent, message.createdAt),
    ...time(alertsTexts.nextAttempt, message.nextAttemptAt),
    ...time(alertsTexts.ended, message.endedAt),
    ...(failure === null ? [] : [{ name: alertsTexts.failure, value: <HostileText text={failure} /> }]),
    ...(answerStatus === null
      ? []
      : [
          {
            name: alertsTexts.answer,
            value: (
              <>
                {answerStatus} {answer !== null && <HostileText text={answer} maxLength={500} />}
              </>
            ),
          },
        ]),
    ...(milliseconds === null
      ? []
      : [{ name: alertsTexts.took, value: alertsTexts.milliseconds(milliseconds) }]),
  ];
  return (
    <Modal opened onClose={onClose} title={alertsTexts.details} size="lg">
      <Facts facts={facts} />
    </Modal>
  );
}
