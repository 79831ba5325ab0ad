import type { Help } from 'commander';

const maxTermWidth = 30;
const minDescriptionWidth = 40;
const indent = 2;
const gap = 2;

/**
 * An argument, flag or command of a help text with its description, wrapped at words. The description of a long term, and every one in a narrow
 * terminal, is on the lines below.
 */
export function formatHelpItem(term: string, termWidth: number, description: string, helper: Help): string {
  const head = `${' '.repeat(indent)}${term}`;
  if (description === '') return head;
  const helpWidth = helper.helpWidth ?? 80;
  const aligned = indent + Math.min(termWidth, maxTermWidth) + gap;
  const column = helpWidth - aligned < minDescriptionWidth ? indent * 3 : aligned;
  const margin = ' '.repeat(column);
  const text = helper.boxWrap(description, helpWidth - column).replaceAll('\n', `\n${margin}`);
  const room = column - indent - helper.displayWidth(term);
  return room < gap ? `${head}\n${margin}${text}` : `${head}${' '.repeat(room)}${text}`;
}
