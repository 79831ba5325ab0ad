import { Gauge, type Registry } from 'prom-client';

interface Counting {
  /** How long ago the counts were last complete. */
  readonly lagMilliseconds: number;
  readUncounted(): Promise<number>;
}

/** Whether the counts of agents and errors keep up, of all projects together. */
export function collectCountingMetrics(registry: Registry, counting: Counting): void {
  new Gauge({
    name: 'muster_counts_age_seconds',
    help: 'Age of the counts of agents and errors: everything that was stored before is counted, in every project.',
    registers: [registry],
    collect() {
      this.set(counting.lagMilliseconds / 1_000);
    },
  });
  new Gauge({
    name: 'muster_uncounted_changes',
    help: 'Changes of errors and agents that wait to be counted, at most a million. NaN while the database does not answer.',
    registers: [registry],
    async collect() {
      this.set(await counting.readUncounted().catch(() => Number.NaN));
    },
  });
}
