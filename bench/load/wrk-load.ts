import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../processes/closing.ts';
import { type RunningProcess, startProcess } from '../processes/start-process.ts';
import type { Load, LoadFigures, LoadGenerator } from './load.ts';
import { createNewTextPrefix } from './new-texts.ts';

const script = fileURLToPath(new URL('report.lua', import.meta.url));
const graceMilliseconds = 20_000;

/** One thread of wrk, whose script numbers the new texts. */
export function createWrkLoad(closing: Closing, scratchDirectory: string, version: string): LoadGenerator {
  let lastFile = 0;
  return {
    name: `wrk ${version}`,
    async run(load) {
      lastFile += 1;
      const file = join(scratchDirectory, `load-${lastFile}.tsv`);
      writeFileSync(file, describeLoad(load), { mode: 0o600 });
      const seconds = Math.ceil(load.seconds);
      const wrk = startProcess(closing, 'wrk', [
        '--threads=1',
        `--connections=${load.connections}`,
        `--duration=${seconds}s`,
        '--timeout=30s',
        `--script=${script}`,
        load.url,
        '--',
        file,
      ]);
      // It accepts only whole seconds; when interrupted, it ends at once and prints its figures.
      const interrupt = setTimeout(() => wrk.child.kill('SIGINT'), load.seconds * 1_000 + 100);
      if (seconds === load.seconds) clearTimeout(interrupt);
      try {
        return await figuresOf(wrk, seconds * 1_000 + graceMilliseconds);
      } finally {
        clearTimeout(interrupt);
        await wrk.stop();
      }
    },
  };
}

function describeLoad(load: Load): string {
  const { url, fleet, repeatedTexts, newEvery, reportsPerRequest = 1, alreadySent } = load;
  const body = (error: string) => JSON.stringify({ error });
  const lines = [
    ['host', new URL(url).host],
    ['header', `${fleet.credential.name}: ${fleet.credential.value}`],
    ['every', String(newEvery)],
    ['array', String(reportsPerRequest > 1 ? reportsPerRequest : 0)],
    ['sent', String(alreadySent)],
    ['new', body(createNewTextPrefix()).slice(0, -'"}'.length)],
    ...repeatedTexts.map((text) => ['body', body(text)]),
    ...fleet.agents.map(({ id, token }) => ['agent', id, token ?? '']),
  ];
  return lines.map((line) => `${line.join('\t')}\n`).join('');
}

async function figuresOf(wrk: RunningProcess, limitMilliseconds: number): Promise<LoadFigures> {
  const timer = setTimeout(() => wrk.child.kill('SIGKILL'), limitMilliseconds);
  await wrk.exited;
  clearTimeout(timer);
  const figures = /^figures (\{.*\})$/m.exec(wrk.stdout())?.[1];
  if (figures === undefined) throw new Error(`wrk gave no figures:\n${wrk.stdout()}${wrk.stderr()}`);
  return JSON.parse(figures) as LoadFigures; // written by report.lua
}
