import type { AlertMessage, MessageContext } from '../../messages/alert-message.ts';
import { type ChatText, chatText } from '../../messages/chat-text.ts';
import type { OutgoingMail } from '../../sending/mail-sender.ts';

/** A mail with a plain part and an HTML part that says the same. */
export function alertMail(
  message: AlertMessage,
  context: MessageContext,
  recipients: readonly string[],
): OutgoingMail {
  const text = chatText(message, context);
  return {
    id: context.id,
    sentAt: context.sentAt,
    to: recipients,
    subject: `[Muster] ${text.title}`,
    text: plainPart(text),
    html: htmlPart(text),
  };
}

function plainPart(text: ChatText): string {
  const { title, facts, quote, advice, items, closing, link, command } = text;
  return `${[
    title,
    '',
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    ...(quote === undefined ? [] : ['', ...quote.split('\n').map((line) => `  ${line}`)]),
    ...items.map((item) => `- ${[item.title, item.quote, item.link].filter(Boolean).join(': ')}`),
    ...(advice.length === 0 ? [] : ['', ...advice]),
    ...(closing === undefined ? [] : ['', closing]),
    ...(link === undefined ? [] : ['', link]),
    ...(command === undefined ? [] : ['', command]),
  ].join('\n')}\n`;
}

function htmlPart({ title, facts, quote, advice, items, closing, link, command }: ChatText): string {
  return [
    `<p><strong>${escapeHtml(title)}</strong></p>`,
    ...(facts.length === 0
      ? []
      : [`<p>${facts.map(({ label, value }) => escapeHtml(`${label}: ${value}`)).join('<br>')}</p>`]),
    ...(quote === undefined ? [] : [`<pre>${escapeHtml(quote)}</pre>`]),
    ...(items.length === 0 ? [] : [`<ul>${items.map(htmlItem).join('')}</ul>`]),
    ...advice.map((sentence) => `<p>${escapeHtml(sentence)}</p>`),
    ...(closing === undefined ? [] : [`<p>${escapeHtml(closing)}</p>`]),
    ...(link === undefined ? [] : [`<p><a href="${escapeHtml(link)}">Open in Muster</a></p>`]),
    ...(command === undefined ? [] : [`<pre>${escapeHtml(command)}</pre>`]),
  ].join('\n');
}

function htmlItem({ title, quote, link }: ChatText['items'][number]): string {
  const shown =
    link === undefined ? escapeHtml(title) : `<a href="${escapeHtml(link)}">${escapeHtml(title)}</a>`;
  return `<li>${shown}${quote === undefined ? '' : `: <code>${escapeHtml(quote)}</code>`}</li>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
