import { Gauge, type Registry } from 'prom-client';

/** The counts of one project, or of several whose `project` is `other`. */
interface FleetFigures {
  readonly project: string;
  readonly agents: Readonly<Record<string, number>>;
  readonly openErrors: Readonly<Record<string, number>>;
  readonly openGroups: number;
  readonly expiringTokens: number;
}

type Figures = readonly FleetFigures[];

/**
 * Gauges of the fleet, by project. Without their values while the database does not answer.
 *
 * @param read called at each scrape; must not scan agents or errors
 */
export function collectFleetMetrics(registry: Registry, read: () => Promise<Figures>): void {
  let reading: Promise<Figures> | undefined;
  /** The gauges of one scrape share one read. */
  const readOnce = (): Promise<Figures> => {
    reading ??= read()
      .catch(() => [])
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = (
    name: string,
    help: string,
    label: string | undefined,
    valuesOf: (figures: FleetFigures) => Readonly<Record<string, number>>,
  ): void => {
    new Gauge({
      name,
      help: `${help} The projects with the most agents have series of their own, all others share project="other".`,
      labelNames: label === undefined ? ['project'] : ['project', label],
      registers: [registry],
      async collect() {
        const figures = await readOnce();
        this.reset();
        for (const one of figures) {
          for (const [value, count] of Object.entries(valuesOf(one))) {
            this.set({ project: one.project, ...(label !== undefined && { [label]: value }) }, count);
          }
        }
      },
    });
  };
  gauge('muster_agents', 'Agents by status.', 'status', ({ agents }) => agents);
  gauge(
    'muster_open_errors',
    'Open errors: of the configuration that the agent has (current), or of an earlier one (superseded).',
    'state',
    ({ openErrors }) => openErrors,
  );
  gauge('muster_open_groups', 'Groups with an open and current error.', undefined, ({ openGroups }) => ({
    all: openGroups,
  }));
  gauge('muster_expiring_tokens', 'Project tokens that expire within 7 days.', undefined, (figures) => ({
    all: figures.expiringTokens,
  }));
}
