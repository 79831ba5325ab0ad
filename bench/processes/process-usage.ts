import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, regardless of its clock rate. */
const tickMicroseconds = 10_000;

/** Processor time of all threads of a process so far; undefined if /proc does not provide it. */
export function processorMicroseconds(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the process, in parentheses, may contain blanks.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [fields?.[11], fields?.[12]];
  return user === undefined || system === undefined
    ? undefined
    : (Number(user) + Number(system)) * tickMicroseconds;
}

/** Current and maximum memory of a process. */
export function residentMegabytes(pid: number): { readonly now: number; readonly most: number } | undefined {
  const status = read(`/proc/${pid}/status`);
  const [now, most] = ['VmRSS', 'VmHWM'].map((name) =>
    new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status ?? ''),
  );
  return now === null || now === undefined || most === null || most === undefined
    ? undefined
    : { now: Number(now[1]) / 1024, most: Number(most[1]) / 1024 };
}

/** Bytes that a process has caused to be written to disks so far, including rewritten pages; undefined if /proc does not provide it. */
export function writtenBytes(pid: number): number | undefined {
  const bytes = /^write_bytes: (\d+)$/m.exec(read(`/proc/${pid}/io`) ?? '')?.[1];
  return bytes === undefined ? undefined : Number(bytes);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
