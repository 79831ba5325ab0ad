import { type AlertMessage, linkOf, type MessageContext } from '../../messages/alert-message.ts';
import { chatText } from '../../messages/chat-text.ts';
import type { OutgoingRequest } from '../../sending/post.ts';
import type { ChannelSecrets } from '../channel-secrets.ts';

export const pagerDutyUrl = 'https://events.pagerduty.com/v2/enqueue';

/**
 * An event of the Events API v2 (https://developer.pagerduty.com/docs/events-api-v2-overview). The same incident has the same `dedup_key`, and
 * the message that something is over resolves it.
 */
export function pagerDutyRequest(
  message: AlertMessage,
  context: MessageContext,
  { url = pagerDutyUrl, key = '' }: ChannelSecrets,
): OutgoingRequest {
  const event = {
    routing_key: key,
    event_action: message.isResolved === true ? 'resolve' : 'trigger',
    dedup_key: `muster-${message.incidentKey ?? context.id}`,
    ...(message.isResolved === true ? {} : triggerOf(message, context)),
  };
  return { url, headers: {}, body: JSON.stringify(event) };
}

function triggerOf(message: AlertMessage, context: MessageContext) {
  const { title, facts, quote, advice, items, closing, command } = chatText(message, context);
  const severities = message.entries.map(({ severity }) => severity);
  const severity = severities.includes('critical')
    ? 'critical'
    : severities.includes('warning')
      ? 'warning'
      : 'info';
  const links = message.entries.flatMap((entry) => {
    const href = linkOf(entry, context);
    return href === undefined ? [] : [{ href, text: 'Open in Muster' }];
  });
  return {
    payload: {
      summary: title,
      source: 'muster',
      severity,
      timestamp: new Date(context.sentAt).toISOString(),
      custom_details: {
        ...Object.fromEntries(facts.map(({ label, value }) => [label, value])),
        ...(quote === undefined ? {} : { Error: quote }),
        ...(advice.length === 0 ? {} : { Advice: advice.join(' ') }),
        ...(items.length === 0
          ? {}
          : { Alerts: items.map((item) => [item.title, item.quote].filter(Boolean).join(': ')) }),
        ...(closing === undefined ? {} : { More: closing }),
        ...(command === undefined ? {} : { Command: command }),
      },
    },
    client: 'Muster',
    ...(context.publicUrl === undefined ? {} : { client_url: context.publicUrl }),
    links,
  };
}
