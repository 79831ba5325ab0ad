/**
 * Characters without a meaning in any format, in the place of the braces of `{{vars.x}}`, which would begin a map in YAML. They are as long as the
 * braces, so that every place in the text stays where it is.
 */
const [opening, closing] = ['\uE000\uE000', '\uE001\uE001'];

/** What a variable is of: the agent, or values and secrets that somebody has set. `files`: the path of a file of the fleet on the agent. */
export const variableScopes = ['agent', 'vars', 'secrets', 'files'] as const;

/** A variable that a text uses. Its scope is written by somebody, and need not exist. */
export interface Variable<Scope extends string = string> {
  readonly scope: Scope;
  readonly name: string;
}

export const variablePattern = /\{\{[ \t]*([A-Za-z]+)\.([A-Za-z0-9_.-]+)[ \t]*\}\}/g;

const hiddenPattern = /\uE000\uE000[ \t]*([A-Za-z]+)\.([A-Za-z0-9_.-]+)[ \t]*\uE001\uE001/g;

/** The text with its variables in a form that can be read in every format. */
export function hideVariables(text: string): string {
  return text.replaceAll(variablePattern, (written) => `${opening}${written.slice(2, -2)}${closing}`);
}

/** The reverse of `hideVariables`. */
export function showVariables(text: string): string {
  return text.replaceAll(opening, '{{').replaceAll(closing, '}}');
}

/** Whether a value, or a part of it, is known on the agent only, or when the configuration is served. */
export function isVariable(value: string): boolean {
  return value.includes('${') || value.includes(opening) || value.includes('{{');
}

/** The variables of a text, in their order. */
export function variablesIn(text: string): Variable[] {
  return hiddenVariables(hideVariables(text));
}

/** Whether a text has hidden variables. */
export function hasHidden(text: string): boolean {
  return text.includes(opening);
}

/** The hidden variables of a text, in their order. */
export function hiddenVariables(text: string): Variable[] {
  return [...text.matchAll(hiddenPattern)].map(([, scope = '', name = '']) => ({ scope, name }));
}

/** A text and the hidden variables in it, in turns: it begins and ends with a text. */
export function splitHidden(text: string): (string | Variable)[] {
  const pieces: (string | Variable)[] = [];
  let end = 0;
  for (const { 0: written, 1: scope = '', 2: name = '', index } of text.matchAll(hiddenPattern)) {
    pieces.push(text.slice(end, index), { scope, name });
    end = index + written.length;
  }
  return [...pieces, text.slice(end)];
}
