import { fillInText, realValuesOf } from '@muster/contract';
import { Help } from 'commander';

/** What a known error means, from the catalogue or from the service. */
export interface ExplanationText {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  readonly causes: readonly string[];
  readonly actions: readonly string[];
  readonly link: string;
  readonly suggestion?: string | null | undefined;
}

/** The explanation with the address, the file and the names of an error in its commands. */
export function ofError<Explanation extends ExplanationText>(
  explanation: Explanation,
  error: string,
): Explanation {
  const values = realValuesOf(error);
  return { ...explanation, actions: explanation.actions.map((action) => fillInText(action, values)) };
}

/** Wider lines are hard to read. */
const maxWidth = 100;

/**
 * An explanation for people.
 *
 * @param width maximum width of the lines; undefined for no limit
 * @param decorateTitle changes the title after the layout, for example its colour
 */
export function formatExplanation(
  explanation: ExplanationText,
  width: number | undefined,
  decorateTitle: (title: string) => string = (text) => text,
  actionsTitle = 'What to do:',
): string {
  const { id, title, meaning, causes, actions, link, suggestion } = explanation;
  const wrap = (text: string, first = '', next = ' '.repeat(first.length)): string =>
    wrapText(text, width === undefined ? undefined : Math.min(width, maxWidth), first, next);
  return [
    `${decorateTitle(title)} (${id})`,
    '',
    wrap(meaning),
    ...(suggestion === undefined || suggestion === null ? [] : [`Did you mean '${suggestion}'?`]),
    '',
    'Why:',
    ...causes.map((cause) => wrap(cause, '  - ')),
    '',
    actionsTitle,
    ...actions.map((action, index) => wrap(action, `  ${index + 1}. `)),
    '',
    `More: ${link}`,
    '',
  ].join('\n');
}

/** Numbered steps for people. @param width maximum width of the lines; undefined for no limit */
export function formatSteps(steps: readonly string[], width: number | undefined): string {
  const most = width === undefined ? undefined : Math.min(width, maxWidth);
  return steps.map((step, index) => `${wrapText(step, most, `  ${index + 1}. `, '     ')}\n`).join('');
}

/** The text in lines that begin with `first` and `next`. */
function wrapText(text: string, width: number | undefined, first: string, next: string): string {
  if (width === undefined) return first + text;
  const lines = new Help().boxWrap(text, width - first.length).split('\n');
  return lines.map((line, index) => (index === 0 ? first : next) + line).join('\n');
}
