import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The reason why no disk can be created here; undefined if one can. */
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

/** A disk of that many KiB, in memory, mounted on its own folder. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-disk-'));

  constructor(kibibytes: number) {
    expectNone(mount(['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', this.folder]));
  }

  resize(kibibytes: number): void {
    expectNone(mount(['-o', `remount,size=${kibibytes}k`, this.folder]));
  }

  /** As a system remounts a disk that it considers broken. */
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

/** Lazily, because a process that has just ended may still be using it. */
function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}

function expectNone(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}
