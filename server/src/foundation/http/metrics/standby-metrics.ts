import { Counter, Gauge, type Registry } from 'prom-client';

interface StandbyFigures {
  readonly figures: {
    readonly isUsed: boolean;
    /** NaN: unknown. */
    readonly lagMilliseconds: number;
    /** Lists that were read from each. */
    readonly standby: number;
    readonly primary: number;
  };
}

/** Where lists are read, with MUSTER_READ_DATABASE_URL. */
export function collectStandbyMetrics(registry: Registry, standby: StandbyFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'muster_standby_used',
    help: '1 while lists are read from the standby, 0 while they are read from the primary. Only with MUSTER_READ_DATABASE_URL.',
    registers,
    collect() {
      this.set(standby.figures.isUsed ? 1 : 0);
    },
  });
  new Gauge({
    name: 'muster_standby_lag_seconds',
    help: 'How far the standby is behind the primary, as looked at once a second; NaN while it does not answer. Only with MUSTER_READ_DATABASE_URL.',
    registers,
    collect() {
      this.set(standby.figures.lagMilliseconds / 1_000);
    },
  });
  new Counter({
    name: 'muster_lists_total',
    help: 'Lists, counts and searches, by the server that they were read from: `standby` or `primary`. Only with MUSTER_READ_DATABASE_URL.',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset();
      for (const server of ['standby', 'primary'] as const) this.inc({ server }, standby.figures[server]);
    },
  });
}
