import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Case } from '../../bench.ts';
import type { DataSetEngine } from '../../data/open-data-set.ts';
import { alternate, type Contender } from '../../measure/alternate.ts';
import type { LoadSample } from '../../measure/measure-load.ts';
import { processorMicroseconds } from '../../processes/process-usage.ts';
import { startProcess } from '../../processes/start-process.ts';
import { comparedOf, compareProcessor, compareRates } from '../../report/compare.ts';
import { type BesideService, startOnDataSet, stormOn } from './start-beside.ts';

const muster = fileURLToPath(new URL('../../../cli/dist/muster.mjs', import.meta.url));
const bar = { atLeast: 0.9 };
const lookMilliseconds = 50;

interface Share {
  /** Of one processor, while the load ran. */
  share: number;
  backups: number;
}

/**
 * The same service takes the same load with and without a backup, so that only the backup differs. The database is large, so that copying and checking count, and
 * not the start of a process.
 */
export function besideBackupCase(engine: DataSetEngine): Case {
  return {
    name: `beside-backup-${engine}`,
    title: `new errors beside backups, one after the other, against without (${engine})`,
    async run(bench) {
      const service = await startOnDataSet(bench, engine);
      const storm = stormOn('without', bench, service, 'new');
      const used: Share[] = [];
      const [without = [], backup = []] = await alternate(
        [storm, besideBackup(bench, storm, service, used)],
        { ...bench.options, say: bench.say },
      );
      const [one, other] = [comparedOf('beside', backup), comparedOf('without', without)];
      const shares = used.map(({ share }) => share);
      const share = shares.reduce((sum, value) => sum + value, 0) / shares.length;
      const backups = used.reduce((sum, { backups }) => sum + backups, 0);
      const row = { case: this.name };
      const rates = compareRates(
        { ...row, what: 'new errors beside a backup, against without', bar },
        one,
        other,
      );
      return [
        {
          ...rates,
          measured: `${rates.measured}; ${backups} backups were completed; they took ${Math.round(share * 100)} % of one processor`,
        },
        compareProcessor({ ...row, what: 'processor time of a new error beside a backup' }, one, other),
      ];
    },
  };
}

/** Backups are made one after the other while the load runs, as the service itself makes them. The last one is ended with the load. */
function besideBackup(
  bench: Bench,
  storm: Contender<LoadSample>,
  place: BesideService,
  used: Share[],
): Contender<LoadSample> {
  const target = mkdtempSync(join(bench.scratchDirectory, 'backups-'));
  const env = {
    PATH: process.env.PATH,
    MUSTER_DATA_DIR: place.directory,
    ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
  };
  return {
    name: 'beside a backup',
    async measure(seconds) {
      const loadEnded = new AbortController();
      let backups = 0;
      let microseconds = 0;
      const backUp = async (): Promise<void> => {
        while (!loadEnded.signal.aborted) {
          const args = [muster, 'backup', target, '--keep', '1', '--quiet'];
          const backup = startProcess(bench.closing, process.execPath, args, { env });
          let last = 0;
          const look = setInterval(() => {
            last = processorMicroseconds(backup.pid) ?? last;
          }, lookMilliseconds);
          const end = () => backup.child.kill('SIGKILL');
          loadEnded.signal.addEventListener('abort', end);
          const code = await backup.exited;
          loadEnded.signal.removeEventListener('abort', end);
          clearInterval(look);
          microseconds += last;
          if (loadEnded.signal.aborted) return;
          if (code !== 0) throw new Error(`a backup failed: ${backup.stderr()}`);
          backups += 1;
        }
      };
      const backingUp = backUp();
      const sample = await storm.measure(seconds);
      loadEnded.abort();
      await backingUp;
      used.push({ share: microseconds / 1_000_000 / sample.seconds, backups });
      return sample;
    },
  };
}
