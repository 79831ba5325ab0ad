import type { Clock, MonotonicClock } from '../../foundation/clock.ts';
import { listBackups, lockOf, type StoredBackup } from '../../foundation/database/backup/backup-directory.ts';
import { isLocked } from '../../foundation/database/backup/backup-lock.ts';

interface BackupServiceOptions {
  readonly directory: string;
  /** Time between two backups. */
  readonly everyMilliseconds: number;
  /** Number of backups to keep; 0: all. */
  readonly keep: number;
  /** Undefined before the first start is complete. */
  readonly readInstallationID: () => Promise<string | undefined>;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Writes one backup in a process of its own. Rejects with the reason if it failed. */
  readonly runBackup: RunBackup;
  readonly onDone: (outcome: {
    /** Of the backup, and its size. */
    readonly folder: string;
    readonly bytes: number;
    readonly seconds: number;
  }) => void;
  readonly onFailure: (error: unknown) => void;
}

interface BackupOrder {
  readonly directory: string;
  /** Number of backups to keep; 0: all. */
  readonly keep: number;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

export type RunBackup = (order: BackupOrder) => Promise<void>;

const retryMilliseconds = 10 * 60_000;

/**
 * Has a backup made when the newest one of the installation in its directory is old enough. The directory is its whole memory, so that the schedule survives a
 * restart, and replicas with one directory share one schedule. Backups of other installations there do not count.
 */
export class BackupService {
  readonly #options: BackupServiceOptions;
  readonly #stopping = new AbortController();
  #run: Promise<void> | undefined;
  #installationID: string | undefined;
  #newest: StoredBackup | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(options: BackupServiceOptions) {
    this.#options = options;
  }

  /** Seconds since the newest complete backup began; infinite if there is none. */
  get ageSeconds(): number {
    const { newestAt } = this;
    return newestAt === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, (this.#options.clock() - newestAt) / 1_000);
  }

  /** When the newest complete backup began; undefined if there is none. */
  get newestAt(): number | undefined {
    return this.#newest && Date.parse(this.#newest.manifest.createdAt);
  }

  /** Number of backups that have failed since the start. */
  get failures(): number {
    return this.#failures;
  }

  /** Makes a backup if one is due. Resolves when none is under way any more. */
  look(): Promise<void> {
    this.#run ??= this.#makeDue().finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  /** Ends a backup that is under way; nothing half-written remains a backup. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#run;
  }

  async #makeDue(): Promise<void> {
    const { directory, keep, monotonic, runBackup, onDone, onFailure } = this.#options;
    const startedAt = monotonic();
    try {
      this.#installationID ??= await this.#options.readInstallationID();
      if (this.#stopping.signal.aborted || !this.#isDue() || startedAt < this.#notBefore) return;
      // Another replica, or an operator, makes one.
      if (isLocked(lockOf(directory))) return;
      await runBackup({ directory, keep, signal: this.#stopping.signal });
      this.#readNewest();
      if (this.#newest === undefined) return;
      const { folder, manifest } = this.#newest;
      const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
      onDone({ folder, bytes, seconds: (monotonic() - startedAt) / 1_000 });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#failures += 1;
      this.#notBefore = monotonic() + Math.min(retryMilliseconds, this.#options.everyMilliseconds);
      onFailure(error);
    }
  }

  #isDue(): boolean {
    const { clock, everyMilliseconds } = this.#options;
    this.#readNewest();
    // The newest one is in the future if the clock was set back.
    const { newestAt } = this;
    const age = newestAt === undefined ? undefined : clock() - newestAt;
    return age === undefined || age >= everyMilliseconds || age < -everyMilliseconds;
  }

  #readNewest(): void {
    [this.#newest] =
      this.#installationID === undefined ? [] : listBackups(this.#options.directory, this.#installationID);
  }
}
