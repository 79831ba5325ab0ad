import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Registry } from 'prom-client';
import type { CacheFigures } from '../../cache-figures.ts';
import { type StreamEndReason, streamEndReasons } from '../../stream-end-reason.ts';
import { DurationHistogram, type Observe } from './duration-histogram.ts';
import { collectProcessMetrics } from './process-metrics.ts';
import { ReportCounts } from './report-counts.ts';

/** Metrics for Prometheus. Labels are routes and outcomes, never values that a caller chooses. docs/metrics.md describes each one. */
export class ServiceMetrics {
  readonly registry = new Registry();
  readonly reports = new ReportCounts();
  readonly #durations = new DurationHistogram({
    name: 'muster_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registry: this.registry,
  });
  readonly #invalidCredentials = new Counter({
    name: 'muster_invalid_credentials_total',
    help: 'Requests with an invalid credential, by answer: refused, or limited because their address exceeded its limit.',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });

  readonly #leftOut = new Counter({
    name: 'muster_left_out_total',
    help: 'Registrations and updates of agents that were stored without some fields, because a limit is reached.',
    labelNames: ['what'] as const,
    registers: [this.registry],
  });

  readonly #failedHandshakes = new Counter({
    name: 'muster_tls_failed_handshakes_total',
    help: 'Connections that ended before the end of their TLS handshake, because it failed or took too long.',
    registers: [this.registry],
  });
  readonly #events = new Counter({
    name: 'muster_events_total',
    help: 'Events written by this process.',
    registers: [this.registry],
  });
  readonly #endedStreams = new Counter({
    name: 'muster_event_streams_ended_total',
    help: 'Streams of events that the service ended, by reason: the credential or the project is no longer valid (refused), the client did not read (slow), or the service stops (stopping).',
    labelNames: ['reason'] as const,
    registers: [this.registry],
  });

  constructor() {
    // Created at the start, because a rate does not include the first value of a series.
    this.#collectReports();
    for (const outcome of ['refused', 'limited']) this.#invalidCredentials.inc({ outcome }, 0);
    for (const reason of streamEndReasons) this.#endedStreams.inc({ reason }, 0);
    collectProcessMetrics(this.registry);
    for (const what of ['metadata', 'rawConfig']) this.#leftOut.inc({ what }, 0);
  }

  observeCertificate(expiresAt: () => number): void {
    new Gauge({
      name: 'muster_tls_certificate_expires_seconds',
      help: 'Time at which the TLS certificate expires, in seconds since 1970.',
      registers: [this.registry],
      collect() {
        this.set(expiresAt() / 1_000);
      },
    });
  }

  countFailedHandshake(): void {
    this.#failedHandshakes.inc();
  }

  describeBuild(version: string, engine: string): void {
    new Gauge({
      name: 'muster_build_info',
      help: 'Always 1, with the version of the service and its database engine as labels.',
      labelNames: ['version', 'engine'] as const,
      registers: [this.registry],
    }).set({ version, engine }, 1);
  }

  countInvalidCredential(outcome: 'refused' | 'limited'): void {
    this.#invalidCredentials.inc({ outcome });
  }

  /** Read at each scrape: the library's own counter costs more than the rest of the counting of a report. */
  #collectReports(): void {
    const { reports } = this;
    new Counter({
      name: 'muster_agent_error_reports_total',
      help: 'Accepted reports of agent errors, by outcome.',
      labelNames: ['outcome'] as const,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const outcome of ['created', 'ignored'] as const) this.inc({ outcome }, reports.total(outcome));
      },
    });
  }

  observeWaitingReports(waiting: () => number): void {
    new Gauge({
      name: 'muster_agent_error_reports_waiting',
      help: 'Reports of agent errors that wait for their commit.',
      registers: [this.registry],
      collect() {
        this.set(waiting());
      },
    });
  }

  /** @param fullest returns the highest ratio of usage to each limit; called at each scrape */
  observeUsage(fullest: () => { readonly agents: number; readonly storedBytes: number }): void {
    new Gauge({
      name: 'muster_fullest_project_ratio',
      help: 'Highest share of a limit that any project uses, at the last count: 1 is full. 0 without a limit.',
      labelNames: ['limit'] as const,
      registers: [this.registry],
      collect() {
        const { agents, storedBytes } = fullest();
        this.set({ limit: 'agents' }, agents);
        this.set({ limit: 'stored_bytes' }, storedBytes);
      },
    });
  }

  /** @param caches figures by name; called at each scrape */
  observeCaches(caches: Readonly<Record<string, () => CacheFigures>>): void {
    const ofEach = (note: (cache: string, figures: CacheFigures) => void): void => {
      for (const [cache, read] of Object.entries(caches)) note(cache, read());
    };
    const options = { labelNames: ['cache'] as const, registers: [this.registry] };
    new Gauge({
      ...options,
      name: 'muster_cache_size',
      help: 'Entries in a cache now; for reached_limits, bytes.',
      collect() {
        ofEach((cache, { size }) => this.set({ cache }, size));
      },
    });
    new Gauge({
      ...options,
      name: 'muster_cache_limit',
      help: 'Maximum size of a cache, in the unit of muster_cache_size.',
      collect() {
        ofEach((cache, { limit }) => this.set({ cache }, limit));
      },
    });
    new Counter({
      ...options,
      name: 'muster_cache_hits_total',
      help: 'Look-ups in a cache that found an entry.',
      collect() {
        this.reset();
        ofEach((cache, { hits }) => this.inc({ cache }, hits));
      },
    });
    new Counter({
      ...options,
      name: 'muster_cache_misses_total',
      help: 'Look-ups in a cache that found no entry.',
      collect() {
        this.reset();
        ofEach((cache, { misses }) => this.inc({ cache }, misses));
      },
    });
  }

  /** @param listeners called at each scrape */
  observeEventListeners(listeners: () => number): void {
    new Gauge({
      name: 'muster_event_listeners',
      help: 'Open streams of events.',
      registers: [this.registry],
      collect() {
        this.set(listeners());
      },
    });
  }

  countEvents(written: number): void {
    this.#events.inc(written);
  }

  countEndedStream(reason: StreamEndReason): void {
    this.#endedStreams.inc({ reason });
  }

  countLeftOut(what: 'metadata' | 'rawConfig'): void {
    this.#leftOut.inc({ what });
  }

  /** @param count called at each scrape; must not iterate over the connections */
  observeConnections(count: () => number): void {
    new Gauge({
      name: 'muster_http_connections',
      help: 'Open connections, including idle ones.',
      registers: [this.registry],
      collect() {
        this.set(count());
      },
    });
  }

  /** Measures the duration of every answer by the route's pattern. */
  observe(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      const { method, routeOptions } = request;
      // A stream takes as long as its client listens.
      if (request.getDecorator<boolean>('isStream')) return done();
      this.observeAnswer(method, routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime);
      done();
    });
  }

  observeAnswer(method: string, route: string, status: number, milliseconds: number): void {
    this.answerObserver(method, route, status)(milliseconds);
  }

  /** Returns a function that records durations for one route and outcome. */
  answerObserver(method: string, route: string, status: number): Observe {
    return this.#durations.observerOf({ method, route, status: String(status) });
  }
}
