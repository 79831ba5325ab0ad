import type { AlertMessage, MessageContext } from '../../messages/alert-message.ts';
import { type ChatText, chatText } from '../../messages/chat-text.ts';
import { codeBlock, inlineCode, literal } from '../../messages/markdown.ts';
import { cut } from '../../messages/plain-text.ts';
import type { OutgoingRequest } from '../../sending/post.ts';
import type { ChannelSecrets } from '../channel-secrets.ts';

/** A post of Mattermost has at most 16,383 characters; its attachments count too. */
const maxTextLength = 8_000;

/** An incoming webhook with one message attachment (https://developers.mattermost.com/integrate/reference/message-attachments/). */
export function mattermostRequest(
  message: AlertMessage,
  context: MessageContext,
  { url = '' }: ChannelSecrets,
): OutgoingRequest {
  const text = chatText(message, context);
  const title = literal(text.title);
  const attachment = {
    fallback: title,
    title,
    ...(text.link === undefined ? {} : { title_link: text.link }),
    text: cut(bodyOf(text), maxTextLength),
    fields: text.facts.map(({ label, value }) => ({ short: true, title: label, value: literal(value) })),
  };
  return { url, headers: {}, body: JSON.stringify({ attachments: [attachment] }) };
}

function bodyOf({ quote, advice, items, closing, command }: ChatText): string {
  return [
    ...(quote === undefined ? [] : [codeBlock(quote)]),
    ...items.map(({ title, quote: line, link }) => {
      const shown = link === undefined ? literal(title) : `[${literal(title)}](${link})`;
      return line === undefined ? `- ${shown}` : `- ${shown}: ${inlineCode(line)}`;
    }),
    ...advice.map(literal),
    ...(closing === undefined ? [] : [closing]),
    ...(command === undefined ? [] : [inlineCode(command)]),
  ].join('\n');
}
