/**
 * Characters without a meaning in any format, in the place of the braces of `{{vars.x}}`, which would begin a map in YAML. They are as long as the
 * braces, so that every place in the text stays where it is.
 */
const [opening, closing] = ['\uE000\uE000', '\uE001\uE001'];

export const variablePattern = /\{\{[ \t]*([A-Za-z]+)\.([A-Za-z0-9_.-]+)[ \t]*\}\}/g;

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
