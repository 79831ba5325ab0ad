import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, readConfig } from '../../server/src/foundation/settings/config.ts';
import type { Place } from './installation.ts';

/** What the tests of `muster doctor` share. */
export class DoctorStage {
  readonly #folders: string[] = [];

  /** An empty folder that `removeFolders` removes. */
  newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'muster-doctor-test-'));
    this.#folders.push(folder);
    return folder;
  }

  /**
   * Another process copies. Where a process opens and closes the files of a database itself, it loses the locks of its connections (SQLite, "How To Corrupt
   * An SQLite Database File", section 2.2), and a connection with statements stays open until they are collected.
   */
  copyOf(dataDirectory: string): string {
    const folder = this.newFolder();
    execFileSync('cp', ['-R', `${dataDirectory}/.`, folder]);
    return folder;
  }

  removeFolders(): void {
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true });
  }
}

/** The settings of a service that belongs to the place and does not run: port 1 belongs to no service. */
export function configOfPlace({ env }: Place, changes: Partial<Config> = {}): Config {
  return { ...readConfig({ env: { ...env, PORT: '1' }, flags: {} }), ...changes };
}

export function levelsOf(findings: readonly { readonly level: string }[]): string[] {
  return findings.map(({ level }) => level);
}
