import { describeBar, formatSpread, type Row, verdictOf } from './row.ts';

const headings = ['case', 'what', 'result', 'bar', 'should end at', '', 'measured', 'processor'];

/** A Markdown table with aligned columns, readable in a terminal too. */
export function formatTable(rows: readonly Row[]): string {
  const cells = [headings, ...rows.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(3, ...cells.map((line) => widthOf(line[column]))));
  const lines = cells.map(
    (line) => `| ${widths.map((width, column) => pad(line[column] ?? '', width)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function cellsOf(row: Row): string[] {
  const { figure, unit, failure, notJudged, measured } = row;
  return [
    row.case,
    row.what,
    figure === undefined ? '' : formatSpread(figure, unit),
    describeBar(row.bar, unit),
    row.goal ?? '',
    verdictOf(row),
    [failure ?? measured, ...(notJudged === undefined ? [] : [notJudged])].join('; '),
    row.processor ?? '',
  ].map((cell) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|'));
}

function widthOf(text = ''): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
