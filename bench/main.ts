import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cases } from './cases/index.ts';
import { optionsHelp, readOptions, UsageError } from './options.ts';
import { Closing } from './processes/closing.ts';
import { createScratchDirectory } from './processes/scratch-directory.ts';
import { runCases } from './run-cases.ts';

const usageExitCode = 2;
const interruptedExitCode = 130;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptionsOrExplain();
  if (typeof options === 'number') return options;
  const root = fileURLToPath(new URL('..', import.meta.url));
  const keptDirectory = resolve(process.env.MUSTER_BENCH_DIR ?? join(root, '.bench'));
  const closing = new Closing();
  endOn(closing, options.limitMinutes);
  const scratchDirectory = createScratchDirectory(closing, keptDirectory);
  try {
    const hasFailed = await runCases(options, { closing, scratchDirectory, keptDirectory });
    return hasFailed ? 1 : 0;
  } catch (error) {
    // Failures after the interruption are expected.
    if (!closing.isClosing) throw error;
    return interruptedExitCode;
  } finally {
    await closing.close();
  }
}

function readOptionsOrExplain() {
  const names = cases.map(({ name }) => name);
  try {
    const options = readOptions(process.argv.slice(2), names);
    if (options !== undefined) return options;
    const width = Math.max(...names.map(({ length }) => length));
    const list = cases.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`);
    console.log(`npm run bench -- [options]\n\n${optionsHelp}\nCases:\n\n${list.join('\n')}`);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\nSee: npm run bench -- --help`);
    return usageExitCode;
  }
}

/** Stops all started processes, even if the user or the time limit ends the run. */
function endOn(closing: Closing, limitMinutes: number): void {
  let isEnding = false;
  const end = (reason: string) => {
    if (isEnding) return;
    isEnding = true;
    console.error(`\n${reason}: ending what was started …`);
    void closing
      .close()
      .catch((error: unknown) => console.error(error))
      .then(() => process.exit(interruptedExitCode));
  };
  process.on('SIGINT', () => end('interrupted'));
  process.on('SIGTERM', () => end('terminated'));
  process.on('SIGHUP', () => end('terminal closed'));
  setTimeout(() => end(`not done after ${limitMinutes} minutes`), limitMinutes * 60_000).unref();
}
