import { Gauge, type Registry } from 'prom-client';

interface CoreInstanceFigures {
  readonly waiting: number;
  readonly running: number;
  readonly unreachable: number;
  readonly maxLagSeconds: number;
  readonly spooledCount: number;
  readonly lostCount: number;
}

/** Metrics of the Musters at sites, of all projects together. The gauges are NaN while the database does not answer. */
export function collectCoreInstanceMetrics(
  registry: Registry,
  read: () => Promise<CoreInstanceFigures>,
): void {
  let reading: Promise<CoreInstanceFigures | undefined> | undefined;
  /** The gauges of one scrape share one read. */
  const readOnce = (): Promise<CoreInstanceFigures | undefined> => {
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = (name: string, help: string, pick: (figures: CoreInstanceFigures) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const figures = await readOnce();
        this.set(figures === undefined ? Number.NaN : pick(figures));
      },
    });
  };
  new Gauge({
    name: 'muster_core_instances',
    help: 'Core instances by status.',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const figures = await readOnce();
      this.reset();
      if (figures === undefined) return;
      for (const status of ['waiting', 'running', 'unreachable'] as const)
        this.set({ status }, figures[status]);
    },
  });
  gauge(
    'muster_core_instance_max_lag_seconds',
    'The longest time for which something has been waiting at a core instance.',
    ({ maxLagSeconds }) => maxLagSeconds,
  );
  gauge(
    'muster_core_instance_spooled_items',
    'Items that waited at core instances when they were last heard.',
    ({ spooledCount }) => spooledCount,
  );
  gauge(
    'muster_core_instance_lost_reports',
    'Reports that core instances had to drop.',
    ({ lostCount }) => lostCount,
  );
}
