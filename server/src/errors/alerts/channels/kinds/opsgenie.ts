import type { AlertMessage, MessageContext } from '../../messages/alert-message.ts';
import { type ChatText, chatText } from '../../messages/chat-text.ts';
import { cut, plainLine } from '../../messages/plain-text.ts';
import type { OutgoingRequest } from '../../sending/post.ts';
import type { ChannelSecrets } from '../channel-secrets.ts';

export const opsgenieUrl = 'https://api.opsgenie.com/v2/alerts';

const maxMessageLength = 130;
const maxDescriptionLength = 15_000;
const priorities = { critical: 'P1', warning: 'P3', info: 'P5' } as const;

/**
 * The Alert API (https://docs.opsgenie.com/docs/alert-api), which Jira Service Management offers at another address too. The same incident has
 * the same `alias`, and the message that something is over closes it.
 */
export function opsgenieRequest(
  message: AlertMessage,
  context: MessageContext,
  { url = opsgenieUrl, key = '' }: ChannelSecrets,
): OutgoingRequest {
  const alias = `muster-${message.incidentKey ?? context.id}`;
  const headers = { Authorization: `GenieKey ${key}` };
  if (message.isResolved === true) {
    const body = JSON.stringify({ source: 'muster', note: cut(plainLine(message.title), maxMessageLength) });
    return { url: `${url}/${alias}/close?identifierType=alias`, headers, body };
  }
  const text = chatText(message, context);
  const severities = message.entries.map(({ severity }) => severity);
  const body = JSON.stringify({
    message: cut(text.title, maxMessageLength),
    alias,
    description: cut(descriptionOf(text), maxDescriptionLength),
    priority: priorities[severities.includes('critical') ? 'critical' : (severities[0] ?? 'info')],
    source: 'muster',
    tags: ['muster'],
    details: Object.fromEntries(text.facts.map(({ label, value }) => [label, value])),
  });
  return { url, headers, body };
}

function descriptionOf({ title, quote, advice, items, closing, link, command }: ChatText): string {
  return [
    title,
    ...(quote === undefined ? [] : [quote]),
    ...items.map((item) => `- ${[item.title, item.quote, item.link].filter(Boolean).join(': ')}`),
    ...advice,
    ...(closing === undefined ? [] : [closing]),
    ...(link === undefined ? [] : [link]),
    ...(command === undefined ? [] : [command]),
  ].join('\n');
}
