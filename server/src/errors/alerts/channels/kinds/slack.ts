import type { AlertMessage, MessageContext } from '../../messages/alert-message.ts';
import { type ChatItem, type ChatText, chatText } from '../../messages/chat-text.ts';
import { cut } from '../../messages/plain-text.ts';
import type { OutgoingRequest } from '../../sending/post.ts';
import type { ChannelSecrets } from '../channel-secrets.ts';

const maxHeaderLength = 150;
const maxSectionLength = 3_000;

/**
 * An incoming webhook with Block Kit (https://docs.slack.dev/reference/block-kit/blocks). Texts of agents are `plain_text` or preformatted rich
 * text, in which Slack reads neither mentions nor links.
 */
export function slackRequest(
  message: AlertMessage,
  context: MessageContext,
  { url = '' }: ChannelSecrets,
): OutgoingRequest {
  const text = chatText(message, context);
  const body = JSON.stringify({
    // Shown in notifications. Slack reads mentions in it unless these three characters are escaped.
    text: escapeControl(text.title),
    mrkdwn: false,
    parse: 'none',
    unfurl_links: false,
    unfurl_media: false,
    blocks: blocksOf(text),
  });
  return { url, headers: {}, body };
}

function blocksOf(text: ChatText): object[] {
  const { facts, quote, advice, items, closing, link, command } = text;
  return [
    { type: 'header', text: plain(cut(text.title, maxHeaderLength)) },
    ...(facts.length === 0
      ? []
      : [{ type: 'section', fields: facts.map(({ label, value }) => plain(`${label}: ${value}`)) }]),
    ...(quote === undefined ? [] : [preformatted(quote)]),
    ...items.flatMap(itemBlocks),
    ...(advice.length === 0 ? [] : [section(advice.join('\n'))]),
    ...(closing === undefined ? [] : [section(closing)]),
    ...(command === undefined ? [] : [preformatted(command)]),
    ...(link === undefined ? [] : [openButton(link)]),
  ];
}

function itemBlocks({ title, quote, link }: ChatItem): object[] {
  const lines = quote === undefined ? title : `${title}\n${quote}`;
  return [
    {
      ...section(lines),
      ...(link === undefined ? {} : { accessory: button(link) }),
    },
  ];
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false };
}

function section(text: string) {
  return { type: 'section', text: plain(cut(text, maxSectionLength)) };
}

function preformatted(text: string) {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }],
  };
}

function openButton(url: string) {
  return { type: 'actions', elements: [button(url)] };
}

function button(url: string) {
  return { type: 'button', text: plain('Open in Muster'), url };
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeControl(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
