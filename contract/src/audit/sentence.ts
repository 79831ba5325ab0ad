/**
 * A part of a sentence: a text of ours, or what each program writes in its own way. `name` and `quote` were written by somebody: they can hold anything.
 * `causeID` leads to more about a cause, where that is possible.
 */
export type SentencePart =
  | string
  | { readonly name: string }
  | { readonly quote: string }
  | { readonly time: string }
  | { readonly causeID: string };

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

/** `a`, `a and b`, `a, b and c` */
export function listOf(parts: readonly SentencePart[]): Sentence {
  const [first = 'nothing', ...rest] = parts;
  const last = rest.pop();
  return last === undefined ? [first] : [first, ...rest.flatMap((part) => [', ', part]), ' and ', last];
}
