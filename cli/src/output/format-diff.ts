import { type Terminal, wantsColor } from '../terminal/terminal.ts';
import { printable } from './printable.ts';

/** Escapes what a terminal would interpret in each line, but keeps tabs, which configurations are indented with. */
export async function formatDiff(diff: string, terminal: Terminal): Promise<string> {
  const [before, after, ...lines] = diff.split('\n').slice(0, -1);
  const colors = await colorsOf(terminal);
  const head = [before, after].filter((line) => line !== undefined);
  return [...head.map(colors.bold), ...(await formatDiffLines(lines, terminal))]
    .map((line) => `${line}\n`)
    .join('');
}

/** The lines of a difference, each with its sign. */
export async function formatDiffLines(lines: readonly string[], terminal: Terminal): Promise<string[]> {
  const colors = await colorsOf(terminal);
  const decorate = (line: string): string => {
    const text = line.split('\t').map(printable).join('\t');
    if (line.startsWith('@@')) return colors.cyan(text);
    if (line.startsWith('+')) return colors.green(text);
    return line.startsWith('-') ? colors.red(text) : text;
  };
  return lines.map(decorate);
}

async function colorsOf({ stdout, env }: Terminal) {
  const { createColors } = (await import('picocolors')).default;
  return createColors(wantsColor(stdout, env));
}
