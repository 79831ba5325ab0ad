import { type AlertEntry, type AlertMessage, linkOf, type MessageContext } from './alert-message.ts';
import { cut, plainLine, plainText } from './plain-text.ts';

/** The parts of a message in which text is shown as it is, for chats. Every text is harmless as plain text, but may contain Markdown. */
export interface ChatText {
  readonly title: string;
  /** Facts of the only entry; empty for a digest. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** What agents reported, of the only entry. */
  readonly quote: string | undefined;
  /** Sentences of the service or of the catalogue: what it means and what to do. */
  readonly advice: readonly string[];
  /** One for each entry of a digest. */
  readonly items: readonly ChatItem[];
  readonly closing: string | undefined;
  readonly link: string | undefined;
  readonly command: string | undefined;
}

export interface ChatItem {
  readonly title: string;
  readonly quote: string | undefined;
  readonly link: string | undefined;
}

const maxTitleLength = 200;
const maxQuoteLength = 1_000;
const maxItemQuoteLength = 160;
const maxFactLength = 200;

export function chatText(message: AlertMessage, context: MessageContext): ChatText {
  const title = cut(`${plainLine(message.project.name)}: ${plainLine(message.title)}`, maxTitleLength);
  const [only, ...others] = message.entries;
  if (only === undefined || others.length > 0) return digestText(title, message, context);
  return {
    title,
    facts: factsOf(only),
    quote: only.text === undefined ? undefined : cut(plainText(only.text), maxQuoteLength),
    advice: only.state === 'open' ? adviceOf(only) : [],
    items: [],
    closing: undefined,
    link: linkOf(only, context),
    command: only.command,
  };
}

function factsOf(entry: AlertEntry): { readonly label: string; readonly value: string }[] {
  return [...entry.facts, { label: 'Rule', value: entry.ruleName }].map(({ label, value }) => ({
    label,
    value: cut(plainLine(value), maxFactLength),
  }));
}

function adviceOf({ explanation }: AlertEntry): string[] {
  if (explanation === undefined) return [];
  const { title, meaning, actions, link } = explanation;
  return [`${title}. ${meaning}`, ...actions, `See ${link}`].map(plainLine);
}

function digestText(title: string, { entries, more }: AlertMessage, context: MessageContext): ChatText {
  return {
    title,
    facts: [],
    quote: undefined,
    advice: [],
    items: entries.map((entry) => ({
      title: cut(`${entry.state === 'over' ? 'Over: ' : ''}${plainLine(entry.title)}`, maxTitleLength),
      quote: entry.text === undefined ? undefined : cut(plainLine(entry.text), maxItemQuoteLength),
      link: linkOf(entry, context),
    })),
    closing: more > 0 ? `And ${more} more.` : undefined,
    link: undefined,
    command: entries[0]?.command,
  };
}
