import { findVariables } from './checks/check-variables.ts';
import { parseYaml } from './reading/parse-yaml.ts';
import { readClassic } from './reading/read-classic.ts';
import {
  hasHidden,
  hiddenVariables,
  hideVariables,
  showVariables,
  splitHidden,
  type Variable,
} from './variables.ts';
import { writeYaml } from './writing/write-yaml.ts';

/** A configuration in pieces: texts, and the variables between them. */
export type ConfigPiece = string | Variable;

/**
 * Brings a configuration into a form in which its variables are replaced without reading it again. In YAML, each value with a variable is in double quotes,
 * so that a value that is written as `encodeValue` writes it cannot end it; comments are lost then. In the classic format, each is in the rest of a line, which
 * only a line break ends. Variables in any other place stay as they are written.
 */
export function toTemplate(text: string, format: 'classic' | 'yaml'): string {
  if (!text.includes('{{')) return text;
  const hidden = normalize(hideVariables(text));
  if (findVariables(hidden, format).placed.length === 0) return text;
  return format === 'classic' ? toClassicTemplate(hidden) : toYamlTemplate(hidden, text);
}

/** The pieces of a text that `toTemplate` has returned, also if something was appended to it. */
export function piecesOf(template: string): ConfigPiece[] {
  return splitHidden(template);
}

/** A value as it is written into a template. */
export function encodeValue(value: string, format: 'classic' | 'yaml'): string {
  return format === 'classic' ? value : JSON.stringify(value).slice(1, -1);
}

/** Line breaks of all formats, what no format can say, and what terminals and editors hide. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}\uFEFF\uFFFE\uFFFF]/u;

/** Why a value cannot be used in a configuration, as the end of a sentence; undefined if it can. */
export function explainUnsafeValue(value: string): string | undefined {
  if (value.trim() === '') return 'must not be empty';
  if (unsafe.test(value))
    return 'must be one line, without control characters: its second line would be configuration. Use a file of the fleet for more';
  if (value !== value.trim()) return 'must not begin or end with a space, which agents remove';
  return undefined;
}

function normalize(hidden: string): string {
  return splitHidden(hidden)
    .map((piece) => (typeof piece === 'string' ? piece : hideVariables(`{{${piece.scope}.${piece.name}}}`)))
    .join('');
}

function toYamlTemplate(hidden: string, text: string): string {
  const parsed = parseYaml(hidden);
  return 'node' in parsed ? writeYaml(parsed.node) : text;
}

function toClassicTemplate(hidden: string): string {
  const { sections } = readClassic(hidden);
  const lines = new Set(
    sections.flatMap(({ properties }) =>
      properties.flatMap(({ written, value = '', place }) =>
        !hasHidden(written) && hiddenVariables(value).length > 0 ? [place.line] : [],
      ),
    ),
  );
  return hidden
    .split('\n')
    .map((line, index) => (lines.has(index + 1) ? line : showVariables(line)))
    .join('\n');
}
