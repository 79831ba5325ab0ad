import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import type { Options } from '../options.ts';
import type { Row } from './row.ts';
import { formatTable } from './table.ts';

interface RunFacts {
  readonly options: Options;
  readonly loadGenerator: string;
  readonly commit: string;
  /** Names of the selected cases that have not run. */
  readonly missing: readonly string[];
}

/** The results of a run as a page: the machine and the table. */
export function formatResults(
  rows: readonly Row[],
  { options, loadGenerator, commit, missing }: RunFacts,
): string {
  const facts = [
    ['date', new Date().toISOString().slice(0, 10)],
    ['commit', commit],
    ['machine', describeProcessors()],
    ['node', process.version],
    ['load', `${loadGenerator}, ${options.connections} connections, on the same machine`],
    ['rounds', `${options.rounds} of ${options.seconds} s each, in turns`],
    [
      'data sets',
      `${count(options.errors)} and ${count(options.fewErrors)} errors, ${count(options.agents)} agents`,
    ],
    ...(missing.length === 0 ? [] : [['ended before', missing.join(', ')]]),
  ];
  return [
    '# Results',
    '',
    'Written by `npm run bench`. [README.md](README.md) says how to read it, and [notes.md](notes.md) why bars are missed, and what was tried.',
    '',
    '| | |',
    '|---|---|',
    ...facts.map(([name, value]) => `| ${name} | ${value} |`),
    '',
    formatTable(rows),
    '',
  ].join('\n');
}

/** Call it before the results are written: they may be part of the checkout. */
export function describeCommit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
    const hasChanges = git('status', '--porcelain') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${hasChanges ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}

function describeProcessors(): string {
  const list = cpus();
  return `${list.length} × ${list[0]?.model.trim() ?? 'unknown'}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
