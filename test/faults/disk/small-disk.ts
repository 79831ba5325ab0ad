import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why no disk can be made here; undefined where one can. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return 'a tmpfs is there on Linux alone';
  if (process.getuid?.() !== 0) return 'mounting a tmpfs takes root';
  const folder = mkdtempSync(join(tmpdir(), 'muster-mount-'));
  try {
    const fault = mount(['-t', 'tmpfs', 'tmpfs', folder]);
    if (fault === undefined) unmount(folder);
    return fault;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A disk of so many KiB, in memory, mounted on a folder of its own. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-disk-'));

  constructor(kibibytes: number) {
    expectNone(mount(['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', this.folder]));
  }

  resize(kibibytes: number): void {
    expectNone(mount(['-o', `remount,size=${kibibytes}k`, this.folder]));
  }

  /** As a system does with a disk that it takes for broken. */
  makeReadOnly(): void {
    expectNone(mount(['-o', 'remount,ro', this.folder]));
  }

  remove(): void {
    unmount(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function mount(args: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (error !== undefined) return `mount cannot be run: ${error.message}`;
  return status === 0 ? undefined : `mount says: ${stderr.trim()}`;
}

/** Lazily: a process that has just ended may still be let go of. */
function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}

function expectNone(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}
