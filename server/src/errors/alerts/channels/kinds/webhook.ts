import { Webhook } from 'standardwebhooks';
import {
  type AlertEntry,
  type AlertMessage,
  linkOf,
  type MessageContext,
} from '../../messages/alert-message.ts';
import { cut, plainLine, plainText } from '../../messages/plain-text.ts';
import type { OutgoingRequest } from '../../sending/post.ts';
import type { ChannelSecrets } from '../channel-secrets.ts';

const maxTextLength = 4_096;
/** Of titles, names and facts: ten alerts then have less than the maximum of a message. */
const maxLineLength = 500;

/**
 * The message as JSON, signed with every valid secret. https://www.standardwebhooks.com: `webhook-id` stays the same when it is sent again, so
 * that a receiver can drop what it already has.
 */
export function webhookRequest(
  message: AlertMessage,
  context: MessageContext,
  { url = '', signing = [] }: ChannelSecrets,
): OutgoingRequest {
  const sentAt = new Date(context.sentAt);
  const body = JSON.stringify({
    type: `alert.${message.kind === 'alert' ? 'opened' : message.kind}`,
    timestamp: sentAt.toISOString(),
    data: {
      project: { ...message.project, name: line(message.project.name) },
      title: line(message.title),
      alerts: message.entries.map((entry) => toJson(entry, context)),
      moreAlerts: message.more,
    },
  });
  const signatures = signing
    .filter(({ endsAt }) => endsAt === null || endsAt > context.sentAt)
    .map(({ value }) => new Webhook(value).sign(context.id, sentAt, body));
  return {
    url,
    headers: {
      'webhook-id': context.id,
      'webhook-timestamp': String(Math.floor(context.sentAt / 1_000)),
      'webhook-signature': signatures.join(' '),
    },
    body,
    followsRedirects: true,
  };
}

function toJson(entry: AlertEntry, context: MessageContext) {
  return {
    id: entry.alertID,
    rule: entry.rule,
    ruleName: line(entry.ruleName),
    subject: entry.subject,
    state: entry.state,
    severity: entry.severity,
    title: line(entry.title),
    text: entry.text === undefined ? null : cut(plainText(entry.text), maxTextLength),
    facts: entry.facts.map(({ label, value }) => ({ label, value: line(value) })),
    explanation: entry.explanation ?? null,
    openedAt: entry.openedAt,
    overAt: entry.overAt,
    link: linkOf(entry, context) ?? null,
    command: entry.command,
  };
}

function line(text: string): string {
  return cut(plainLine(text), maxLineLength);
}
