import { Counter, Gauge, type Registry } from 'prom-client';

interface BackupFigures {
  /** Infinite without a backup. */
  readonly ageSeconds: number;
  readonly failures: number;
}

/** Metrics of the backups that the service makes by itself. */
export function collectBackupMetrics(
  registry: Registry,
  { everySeconds, figures }: { readonly everySeconds: number; readonly figures: BackupFigures },
): void {
  const registers = [registry];
  new Gauge({
    name: 'muster_backup_age_seconds',
    help: 'Age of the newest complete backup in MUSTER_BACKUP_DIR; +Inf if there is none. Only with MUSTER_BACKUP_DIR.',
    registers,
    collect() {
      this.set(figures.ageSeconds);
    },
  });
  new Gauge({
    name: 'muster_backup_interval_seconds',
    help: 'MUSTER_BACKUP_EVERY in seconds. Only with MUSTER_BACKUP_DIR.',
    registers,
  }).set(everySeconds);
  new Counter({
    name: 'muster_backup_failures_total',
    help: 'Backups of this process that failed. Only with MUSTER_BACKUP_DIR.',
    registers,
    collect() {
      this.reset();
      this.inc(figures.failures);
    },
  });
}
