import { join } from 'node:path';

/** System calls that change files of the database. */
const fileCalls = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate'] as const;

export interface Injection {
  readonly calls: readonly (typeof fileCalls)[number][];
  /** `EIO`, `ENOSPC` and so on. */
  readonly error: string;
  /** Which calls fail, counted from 1: `3`, or `3+` for all from the third on. */
  readonly when: string;
}

/** The command prefix that makes calls on the files of the data directory fail; each is recorded in a file. */
export function failCalls(file: string, dataDirectory: string, injection?: Injection): string[] {
  const names = ['', 'muster.db', 'muster.db-wal', 'muster.db-shm', 'muster.lock', 'muster.lock-journal'];
  const paths = names.flatMap((name) => ['-P', join(dataDirectory, name).replace(/\/$/, '')]);
  const known = (calls: readonly string[]) => calls.map((call) => `?${call}`).join(',');
  const inject =
    injection === undefined
      ? []
      : ['-e', `inject=${known(injection.calls)}:error=${injection.error}:when=${injection.when}`];
  return [
    'strace',
    ...['-D', '-f', '-y', '-s', '0', '--seccomp-bpf', '-e', 'signal=none', '-o', file],
    ...['-e', `trace=${known(fileCalls)}`, ...inject, ...paths],
  ];
}
