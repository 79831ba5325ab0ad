import type { AlertMessage, MessageContext } from '../../messages/alert-message.ts';
import { type ChatText, chatText } from '../../messages/chat-text.ts';
import { cut } from '../../messages/plain-text.ts';
import type { OutgoingRequest } from '../../sending/post.ts';
import type { ChannelSecrets } from '../channel-secrets.ts';

/** A message of Teams has at most 28 KB. Of a card with ten quotes, this leaves room for everything else. */
const maxQuoteLength = 1_000;

/**
 * An Adaptive Card for a workflow that starts "when a Teams webhook request is received"
 * (https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using). Text runs are shown as they are;
 * Teams reads Markdown in text blocks alone.
 */
export function teamsRequest(
  message: AlertMessage,
  context: MessageContext,
  { url = '' }: ChannelSecrets,
): OutgoingRequest {
  const text = chatText(message, context);
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: bodyOf(text),
    actions: text.link === undefined ? [] : [openAction(text.link)],
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { url, headers: {}, body: JSON.stringify({ type: 'message', attachments: [attachment] }) };
}

function bodyOf({ title, facts, quote, advice, items, closing, command }: ChatText): object[] {
  return [
    run(title, { weight: 'Bolder', size: 'Large' }),
    ...facts.map(({ label, value }) => run(`${label}: ${value}`)),
    ...(quote === undefined ? [] : [run(cut(quote, maxQuoteLength), { fontType: 'Monospace' })]),
    ...items.map(({ title: shown, quote: line, link }) => ({
      ...run(line === undefined ? shown : `${shown}: ${line}`),
      ...(link === undefined ? {} : { selectAction: openAction(link) }),
    })),
    ...advice.map((sentence) => run(sentence)),
    ...(closing === undefined ? [] : [run(closing)]),
    ...(command === undefined ? [] : [run(command, { fontType: 'Monospace' })]),
  ];
}

function run(text: string, style: object = {}) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] };
}

function openAction(url: string) {
  return { type: 'Action.OpenUrl', title: 'Open in Muster', url };
}
