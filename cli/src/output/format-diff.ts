import { type Terminal, wantsColor } from '../terminal/terminal.ts';
import { printable } from './printable.ts';

/** Escapes what a terminal would interpret in each line, but keeps tabs, which configurations are indented with. */
export async function formatDiff(diff: string, { stdout, env }: Terminal): Promise<string> {
  const { createColors } = (await import('picocolors')).default;
  const colors = createColors(wantsColor(stdout, env));
  const decorate = (line: string): string => {
    const text = line.split('\t').map(printable).join('\t');
    if (line.startsWith('@@')) return colors.cyan(text);
    if (line.startsWith('+')) return colors.green(text);
    return line.startsWith('-') ? colors.red(text) : text;
  };
  const [before, after, ...lines] = diff.split('\n').slice(0, -1);
  const head = [before, after].filter((line) => line !== undefined);
  return [...head.map(colors.bold), ...lines.map(decorate)].map((line) => `${line}\n`).join('');
}
