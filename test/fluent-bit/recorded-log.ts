import { readFileSync } from 'node:fs';
import type { SimulatedAgent } from './simulated-agent.ts';

export interface LoggedLine {
  /** Such as `2026/11/21 00:29:32`. */
  readonly second: string;
  readonly level: string;
  readonly message: string;
  /** In seconds. */
  readonly time: number;
}

/** What a real Fluent Bit 5.1.1 printed, without what it prints outside of its log. */
export function readRecordedLog(name: string): LoggedLine[] {
  const text = readFileSync(new URL(`../../samples/fluent-bit/${name}`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [, second, fraction, level, message] =
      /^\[([\d/]+ [\d:]+)\.(\d+)\] \[ *(\w+)\] (.+)$/.exec(line) ?? [];
    if (second === undefined || level === undefined || message === undefined) return [];
    return [{ second, level, message, time: Date.parse(`${second} UTC`) / 1_000 + Number(`0.${fraction}`) }];
  });
}

/** The agent prints the lines, and flushes at the end of each of their seconds. */
export async function printRecorded(agent: SimulatedAgent, lines: readonly LoggedLine[]): Promise<void> {
  for (const second of new Set(lines.map((line) => line.second))) {
    for (const { level, message, time } of lines.filter((line) => line.second === second))
      agent.print(level, message, time);
    await agent.nextSecond();
  }
}
