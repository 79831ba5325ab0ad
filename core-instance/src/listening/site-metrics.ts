import type { SpoolFigures } from '../spool/spool.ts';

interface SiteFigures {
  readonly spool: SpoolFigures;
  /** False from when something could not be written until something can. */
  readonly isSpoolWritable: boolean;
  readonly connections: number;
  readonly refusedItems: number;
  readonly isServiceReached: boolean;
  readonly lastContactAt: number | null;
  readonly now: number;
}

/** Upper bounds of the histogram, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5] as const;

interface Durations {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** What a core instance tells Prometheus (text format 0.0.4). It has a dozen figures, which need no library. */
export class SiteMetrics {
  readonly #read: () => SiteFigures;
  readonly #answers = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();

  constructor(read: () => SiteFigures) {
    this.#read = read;
  }

  noteAnswer(operation: string, status: number, milliseconds: number): void {
    const labels = `operation="${operation}",status="${status}"`;
    this.#answers.set(labels, (this.#answers.get(labels) ?? 0) + 1);
    const seconds = milliseconds / 1_000;
    const durations = this.#durations.get(operation) ?? { counts: bounds.map(() => 0), sum: 0, count: 0 };
    const place = bounds.findIndex((bound) => seconds <= bound);
    if (place >= 0) durations.counts[place] = (durations.counts[place] ?? 0) + 1;
    durations.sum += seconds;
    durations.count += 1;
    this.#durations.set(operation, durations);
  }

  write(): string {
    const { spool, isSpoolWritable, connections, refusedItems, ...service } = this.#read();
    const { isServiceReached, lastContactAt, now } = service;
    const lag = spool.oldestAt === null ? 0 : Math.max(0, now - spool.oldestAt) / 1_000;
    return [
      ...gauge('spooled_reports', 'Reports that wait until the service has them.', spool.reports),
      ...gauge('spooled_bytes', 'Size of the spool on the disk.', spool.bytes),
      ...gauge(
        'spool_writable',
        'Whether what agents last sent could be written to the disk. 0: agents get 503.',
        isSpoolWritable ? 1 : 0,
      ),
      ...gauge('lag_seconds', 'For how long the oldest item has been waiting.', lag),
      ...counter('lost_reports_total', 'Reports that were acknowledged and lost.', spool.lostCount),
      ...counter('refused_items_total', 'Items that the service has refused.', refusedItems),
      ...gauge('connections', 'Open connections of agents.', connections),
      ...gauge('service_up', 'Whether the last request to the service succeeded.', isServiceReached ? 1 : 0),
      // Absent until the service has answered: 0 would be in 1970.
      ...(lastContactAt === null
        ? []
        : gauge(
            'last_contact_seconds',
            'When the service last answered, since the start (Unix time).',
            lastContactAt / 1_000,
          )),
      ...gauge('resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
      ...this.#writeAnswers(),
      '',
    ].join('\n');
  }

  #writeAnswers(): string[] {
    const answers = [...this.#answers].map(([labels, count]) => `${prefix}answers_total{${labels}} ${count}`);
    const durations = [...this.#durations].flatMap(([operation, { counts, sum, count }]) => {
      let below = 0;
      const buckets = bounds.map((bound, place) => {
        below += counts[place] ?? 0;
        return `${prefix}answer_duration_seconds_bucket{operation="${operation}",le="${bound}"} ${below}`;
      });
      return [
        ...buckets,
        `${prefix}answer_duration_seconds_bucket{operation="${operation}",le="+Inf"} ${count}`,
        `${prefix}answer_duration_seconds_sum{operation="${operation}"} ${sum}`,
        `${prefix}answer_duration_seconds_count{operation="${operation}"} ${count}`,
      ];
    });
    return [
      ...head('answers_total', 'Answers to agents.', 'counter'),
      ...answers,
      ...head('answer_duration_seconds', 'From a request to its answer.', 'histogram'),
      ...durations,
    ];
  }
}

const prefix = 'muster_core_instance_';

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${prefix}${name} ${help}`, `# TYPE ${prefix}${name} ${type}`];
}

function gauge(name: string, help: string, value: number): string[] {
  return [...head(name, help, 'gauge'), `${prefix}${name} ${value}`];
}

function counter(name: string, help: string, value: number): string[] {
  return [...head(name, help, 'counter'), `${prefix}${name} ${value}`];
}
