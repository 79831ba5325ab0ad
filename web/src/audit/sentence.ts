import type { AuditEntry } from '@muster/client';

/** A part of a sentence. `name` and `quote` were written by somebody: they can hold anything. */
export type SentencePart = string | { readonly name: string } | { readonly quote: string };

export type Sentence = readonly SentencePart[];

/** Writes a sentence with parts that are not text of ours. Undefined and false parts are left out. */
export function say(
  texts: TemplateStringsArray,
  ...parts: readonly (SentencePart | Sentence | false | undefined)[]
): Sentence {
  return texts.flatMap((text, place) => {
    const part = parts[place];
    const rest = part === undefined || part === false ? [] : isSentence(part) ? part : [part];
    return text === '' ? rest : [text, ...rest];
  });
}

function isSentence(part: SentencePart | Sentence): part is Sentence {
  return Array.isArray(part);
}

/** The text of a sentence alone. */
export function textOf(sentence: Sentence): string {
  return sentence
    .map((part) => (typeof part === 'string' ? part : 'name' in part ? part.name : `“${part.quote}”`))
    .join('');
}

type Values = AuditEntry['after'];

/** A text of an entry, if it has one of this name. */
export function textIn(values: Values, name: string): string | undefined {
  const value = values?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number of an entry; 0 if it has none of this name. */
export function numberIn(values: Values, name: string): number {
  const value = values?.[name];
  return typeof value === 'number' ? value : 0;
}

/** The length of a list of an entry; 0 if it has none of this name. */
export function textsIn(values: Values, name: string): readonly string[] {
  const value = values?.[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
