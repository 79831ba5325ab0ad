import { expiringWithinDays } from '@muster/contract';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type ReportCounts, reportOutcomes } from './report-counts.ts';

/** The counts of one project, of several whose `project` is `other`, or of `all`. */
interface FleetFigures {
  readonly project: string;
  readonly agents: Readonly<Record<string, number>>;
  readonly openErrors: Readonly<Record<string, number>>;
  readonly openGroups: number;
  readonly expiringTokens: number;
}

type Figures = readonly FleetFigures[];

interface FleetMetricsOptions {
  readonly registry: Registry;
  readonly reports: ReportCounts;
  /** Called at each scrape; must not scan agents or errors. */
  readonly read: () => Promise<Figures>;
  /** Rejects if the database cannot be read or written. */
  readonly checkDatabase: () => Promise<void>;
  /** False: one series for all projects together, so that callers without a credential learn no ids of projects. */
  readonly showsProjects: boolean;
}

/** Metrics of agents and errors, by project. The gauges have no values while the database does not answer. */
export function collectFleetMetrics(options: FleetMetricsOptions): void {
  const { registry, reports, read, checkDatabase, showsProjects } = options;
  const whichProjects = showsProjects
    ? 'The projects with the most agents have series of their own, all others share project="other".'
    : 'All projects share project="all", because MUSTER_METRICS_TOKEN is not set.';
  let reading: Promise<Figures | undefined> | undefined;
  /** The gauges of one scrape share one read. */
  const readOnce = (): Promise<Figures | undefined> => {
    reading ??= read()
      .then((figures) => (showsProjects ? figures : [sumUp(figures)]))
      .catch(() => undefined)
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
      help: `${help} ${whichProjects}`,
      labelNames: label === undefined ? ['project'] : ['project', label],
      registers: [registry],
      async collect() {
        const figures = await readOnce();
        this.reset();
        for (const one of figures ?? []) {
          for (const [value, count] of Object.entries(valuesOf(one))) {
            this.set({ project: one.project, ...(label !== undefined && { [label]: value }) }, count);
          }
        }
      },
    });
  };
  new Gauge({
    name: 'muster_database_up',
    help: 'Whether the database could be read and written at this scrape, as for /readyz: 1 or 0.',
    registers: [registry],
    async collect() {
      // A full disk still answers reads.
      const canWrite = checkDatabase().then(
        () => true,
        () => false,
      );
      this.set((await readOnce()) !== undefined && (await canWrite) ? 1 : 0);
    },
  });
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
  gauge(
    'muster_expiring_tokens',
    `Project tokens that expire within ${expiringWithinDays} days.`,
    undefined,
    (figures) => ({
      all: figures.expiringTokens,
    }),
  );
  new Counter({
    name: 'muster_project_reports_total',
    help: `Reports of agent errors since the start of this process, by project and outcome. ${whichProjects}`,
    labelNames: ['project', 'outcome'],
    registers: [registry],
    async collect() {
      const figures = await readOnce();
      const named = (figures ?? []).map(({ project }) => project).filter((project) => project !== 'other');
      this.reset();
      for (const { project, counts } of showsProjects ? reports.seriesOf(named) : [allReports(reports)]) {
        for (const outcome of reportOutcomes) this.inc({ project, outcome }, counts[outcome]);
      }
    },
  });
}

function allReports(reports: ReportCounts) {
  const [created, ignored, limited] = [
    reports.total('created'),
    reports.total('ignored'),
    reports.total('limited'),
  ];
  return { project: 'all', counts: { created, ignored, limited } };
}

function sumUp(figures: Figures): FleetFigures {
  return {
    project: 'all',
    agents: sumByName(figures.map(({ agents }) => agents)),
    openErrors: sumByName(figures.map(({ openErrors }) => openErrors)),
    openGroups: figures.reduce((sum, { openGroups }) => sum + openGroups, 0),
    expiringTokens: figures.reduce((sum, { expiringTokens }) => sum + expiringTokens, 0),
  };
}

function sumByName(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
