import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../scripts/build.mjs';
import { FaultBench, type FaultRound } from './disk/fault-round.ts';
import { runHangingDisk, whyNoCompiler } from './disk/hanging-disk.ts';
import { failCalls, type Injection } from './disk/inject.ts';
import { judgeDurations, judgeRound } from './disk/judge-round.ts';
import { whyNoStrace } from './trace/strace.ts';
import { traceCreations } from './trace/trace-creations.ts';

/**
 * The long run: every call that writes or syncs a file of the database fails, first each in turn, then all from it on.
 * Prints the figures as a table in Markdown. First it checks durability by system calls with many reports.
 */
const { values } = parseArgs({
  options: {
    /** If not every write fails in turn, one in this many does: on a full disk, permanently, at a first start. */
    step: { type: 'string', default: '8' },
    reports: { type: 'string', default: '3000' },
    /** Rows of the table to run, by their numbers from 1; a stopped run is continued with its next row. */
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: '11' },
  },
});

const reason = whyNoStrace();
if (reason !== undefined) {
  console.error(`This run needs strace to let system calls fail: ${reason}.`);
  process.exit(2);
}
await build();

const folder = mkdtempSync(join(tmpdir(), 'muster-trace-'));
const { verdicts } = await traceCreations({ folder, reports: Number(values.reports), connections: 32 });
rmSync(folder, { recursive: true, force: true });
const durable = verdicts.filter((verdict) => verdict === 'durable').length;
console.log(`201s begun after the sync of the log that holds them: ${durable} of ${verdicts.length}\n`);

interface Part extends Omit<Injection, 'when'> {
  /** Whether one call fails, or all from it on. */
  readonly isOver: boolean;
  /** 1: each call in turn. */
  readonly step: number;
  readonly isFirstStart?: boolean;
}

const step = Number(values.step);
const syncs = { calls: ['fsync', 'fdatasync'] } as const;
const writes = { calls: ['pwrite64'] } as const;
const truncations = { calls: ['ftruncate'] } as const;
const plan: readonly Part[] = [
  { ...syncs, error: 'EIO', isOver: true, step: 1 },
  { ...syncs, error: 'EIO', isOver: false, step: 1 },
  { ...syncs, error: 'ENOSPC', isOver: true, step: 1 },
  { ...syncs, error: 'EIO', isOver: true, step: 1, isFirstStart: true },
  { ...writes, error: 'EIO', isOver: true, step: 1 },
  { ...writes, error: 'EIO', isOver: false, step },
  { ...writes, error: 'ENOSPC', isOver: true, step },
  { ...writes, error: 'ENOSPC', isOver: false, step },
  { ...writes, error: 'EIO', isOver: true, step, isFirstStart: true },
  { ...truncations, error: 'EIO', isOver: true, step: 1 },
  { ...truncations, error: 'EIO', isOver: false, step: 1 },
];

const bench = new FaultBench();
const trace = join(bench.folder, 'trace');
await bench.prepare();
const faults: string[] = [];
console.log(
  '| calls that fail | with | rounds | failed calls | 2xx | 503 | lost or doubled | did not start | other faults |',
);
console.log('|---|---|---|---|---|---|---|---|---|');
for (const part of plan.slice(Number(values.from) - 1, Number(values.to))) await runAll(part);
await hang();
bench.remove();
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exitCode = faults.length > 0 || durable < verdicts.length ? 1 : 0;

/** Every sync hangs, then all complete, then all hang again during a stop. */
async function hang(): Promise<void> {
  const noCompiler = whyNoCompiler();
  if (noCompiler !== undefined) {
    console.log(`\nSkipped, a disk that hangs: ${noCompiler}.`);
    return;
  }
  const figures = await runHangingDisk(bench);
  console.log(`\nA disk that hangs: ${JSON.stringify(figures)}`);
  const { answeredMilliseconds, statuses, readyStatus, statusAfterwards, stopMilliseconds } = figures;
  const isAsPromised =
    answeredMilliseconds < 12_000 &&
    statuses.every((status) => status === 503) &&
    readyStatus === 503 &&
    statusAfterwards === 201 &&
    stopMilliseconds < 10_000 &&
    figures.broken.length === 0 &&
    figures.integrity === 'ok';
  if (!isAsPromised) faults.push('a disk that hangs: see above');
}

/** Continues until a round has fewer calls than the number of the failing one. */
async function runAll({ isOver, step, isFirstStart = false, ...fault }: Part): Promise<void> {
  const rounds: FaultRound[] = [];
  let failed = 0;
  let others = 0;
  for (let call = 1; ; call += step) {
    const when = `${call}${isOver ? '' : '+'}`;
    const wrapper = failCalls(trace, bench.dataDirectory, { ...fault, when });
    const round = await (isFirstStart ? bench.runFirstStart(wrapper) : bench.run(wrapper));
    const injected = readFileSync(trace, 'latin1').split('(INJECTED)').length - 1;
    const found = [...judgeRound(round, { isOver }), ...judgeDurations(round)];
    for (const text of found) faults.push(`${fault.calls.join(', ')} ${fault.error} ${when}: ${text}`);
    if (injected === 0) break;
    failed += injected;
    others += found.filter((text) => !/^(lost|doubled)/.test(text)).length;
    rounds.push(round);
  }
  const kind = isFirstStart ? ', at a first start' : isOver ? '' : ', and all that follow';
  const cells = [
    `each ${step === 1 ? '' : `${step}th `}${fault.calls[0]}${kind}`,
    fault.error,
    rounds.length,
    failed,
    count(rounds, (status) => status.startsWith('2')),
    count(rounds, (status) => status === '503'),
    rounds.reduce((sum, { broken }) => sum + broken.length, 0),
    rounds.filter(({ output }) => !output.includes('ready at')).length,
    others,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

function count(rounds: readonly FaultRound[], isCounted: (status: string) => boolean): number {
  return rounds
    .flatMap(({ requests }) => Object.entries(requests?.statuses ?? {}))
    .filter(([status]) => isCounted(status))
    .reduce((sum, [, times]) => sum + times, 0);
}
