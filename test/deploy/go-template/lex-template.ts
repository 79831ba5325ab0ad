export type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'field'; readonly names: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly names: readonly string[] }
  | { readonly kind: 'literal'; readonly value: string | number }
  | { readonly kind: 'mark'; readonly text: string };

/** What stands between actions, or the tokens of one action. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly tokens: readonly Token[]; readonly source: string };

const actionPattern =
  /\{\{(?<trimBefore>-\s)?(?<inside>(?:"(?:[^"\\\n]|\\.)*"|[^"])*?)(?<trimAfter>\s-)?\}\}/g;

/** Splits a template of Go (text/template) into texts and actions. The texts are trimmed as `{{-` and `-}}` ask for. */
export function lexTemplate(source: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  let trimsNext = false;
  const addText = (to: number, trimsEnd: boolean) => {
    const whole = source.slice(end, to);
    const begun = trimsNext ? whole.trimStart() : whole;
    const text = trimsEnd ? begun.trimEnd() : begun;
    if (/\{\{|\}\}/.test(text)) throw new Error(`An action without its beginning or end: ${text}`);
    if (text !== '') pieces.push({ kind: 'text', text });
  };
  for (const match of source.matchAll(actionPattern)) {
    const { trimBefore, inside = '', trimAfter } = match.groups ?? {};
    addText(match.index, trimBefore !== undefined);
    pieces.push({ kind: 'action', tokens: lexAction(inside), source: match[0] });
    end = match.index + match[0].length;
    trimsNext = trimAfter !== undefined;
  }
  addText(source.length, false);
  return pieces;
}

const tokenPattern =
  /\s*(?:(?<field>(?:\.[A-Za-z]\w*)+|\.(?!\w))|\$(?<variable>\w*)(?<path>(?:\.[A-Za-z]\w*)*)|(?<word>[a-zA-Z]\w*)|(?<number>\d+)(?![\w.])|(?<string>"(?:[^"\\\n]|\\.)*")|(?<mark>:=|[(),|]))/y;

function lexAction(inside: string): Token[] {
  const text = inside.trim();
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < text.length) {
    const from = tokenPattern.lastIndex;
    const found = tokenPattern.exec(text)?.groups;
    if (found === undefined) throw new Error(`Unknown in an action: ${text.slice(from)}`);
    tokens.push(tokenOf(found));
  }
  return tokens;
}

function tokenOf(found: Readonly<Record<string, string | undefined>>): Token {
  const { field, variable, path, word, number, string, mark } = found;
  if (field !== undefined) return { kind: 'field', names: namesOf(field) };
  if (variable !== undefined) return { kind: 'variable', name: variable, names: namesOf(path ?? '') };
  if (word !== undefined) return { kind: 'word', text: word };
  if (number !== undefined) return { kind: 'literal', value: Number(number) };
  if (string !== undefined) return { kind: 'literal', value: String(JSON.parse(string)) };
  return { kind: 'mark', text: mark ?? '' };
}

const namesOf = (path: string): string[] => path.split('.').filter((name) => name !== '');
