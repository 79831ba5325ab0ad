import type { AlertMessage, MessageContext } from '../../messages/alert-message.ts';
import { type ChatText, chatText } from '../../messages/chat-text.ts';
import { codeBlock, inlineCode, literal } from '../../messages/markdown.ts';
import { cut } from '../../messages/plain-text.ts';
import type { OutgoingRequest } from '../../sending/post.ts';
import type { ChannelSecrets } from '../channel-secrets.ts';

const maxTitleLength = 256;
/** Discord allows 4,096, but all texts of an embed together have at most 6,000. */
const maxDescriptionLength = 3_500;
const maxFieldLength = 200;

/** A webhook with one embed (https://discord.com/developers/docs/resources/webhook#execute-webhook). It may mention nobody. */
export function discordRequest(
  message: AlertMessage,
  context: MessageContext,
  { url = '' }: ChannelSecrets,
): OutgoingRequest {
  const text = chatText(message, context);
  const embed = {
    title: cut(literal(text.title), maxTitleLength),
    ...(text.link === undefined ? {} : { url: text.link }),
    description: descriptionOf(text),
    fields: text.facts.map(({ label, value }) => ({
      name: label,
      value: cut(literal(value) || '–', maxFieldLength),
      inline: true,
    })),
  };
  return { url, headers: {}, body: JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } }) };
}

/** Whole parts only, because half a link or half a code block would be read as something else. */
function descriptionOf({ quote, advice, items, closing, command }: ChatText): string {
  const parts = [
    ...(quote === undefined ? [] : [codeBlock(quote)]),
    ...items.map(({ title, quote: line, link }) => {
      const shown = link === undefined ? literal(title) : `[${literal(title)}](${link})`;
      return line === undefined ? `- ${shown}` : `- ${shown}: ${inlineCode(line)}`;
    }),
    ...advice.map(literal),
    ...(closing === undefined ? [] : [closing]),
    ...(command === undefined ? [] : [inlineCode(command)]),
  ];
  const taken: string[] = [];
  let length = 0;
  for (const part of parts) {
    length += part.length + 1;
    if (length <= maxDescriptionLength) taken.push(part);
  }
  return taken.join('\n');
}
