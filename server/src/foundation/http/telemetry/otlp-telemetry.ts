import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { SummedWarning } from '../summed-warning.ts';
import { RegistryProducer } from './registry-producer.ts';
import { defaultSampling, readSampling, type Sampling } from './sampling.ts';
import type { AnsweredRequest, Telemetry, TelemetryOptions } from './telemetry.ts';

type Environment = TelemetryOptions['env'];

const metricIntervalMilliseconds = 60_000;
const metricTimeoutMilliseconds = 30_000;
/** Part of the time that a stop may take. */
const closeMilliseconds = 2_000;

/**
 * Traces and metrics by OTLP over HTTP. The library collects spans in a queue of limited size and sends them in the background; what does
 * not fit is dropped, so that a collector that hangs delays nothing. Spans have patterns of routes and statuses: no
 * paths, queries, texts of errors or credentials.
 */
export class OtlpTelemetry implements Telemetry {
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #sampling: Sampling;
  readonly #traces: BasicTracerProvider | undefined;
  readonly #tracer: Tracer | undefined;
  readonly #metrics: MeterProvider | undefined;

  constructor({ env, logger, registry, version }: TelemetryOptions) {
    const warning = new SummedWarning(
      logger,
      'traces or metrics could not be sent to the OpenTelemetry collector and were dropped: see OTEL_EXPORTER_OTLP_ENDPOINT',
    );
    const note = (error: Error | undefined): void => warning.note({ reason: error?.message });
    const resource = describeResource(version);
    this.#sampling = samplingOf(env, logger);
    if (env.OTEL_TRACES_EXPORTER !== 'none') {
      const exporter = usesJson('TRACES', env, logger)
        ? new JsonTraceExporter()
        : new ProtobufTraceExporter();
      this.#traces = new BasicTracerProvider({
        resource,
        sampler: new AlwaysOnSampler(), // decided before
        spanProcessors: [new BatchSpanProcessor(noteFailures(exporter, note))],
      });
      this.#tracer = this.#traces.getTracer('muster', version);
    }
    if (env.OTEL_METRICS_EXPORTER !== 'none') {
      const exporter = usesJson('METRICS', env, logger)
        ? new JsonMetricExporter()
        : new ProtobufMetricExporter();
      const exportIntervalMillis = readMilliseconds(
        env.OTEL_METRIC_EXPORT_INTERVAL,
        metricIntervalMilliseconds,
      );
      const exportTimeoutMillis = Math.min(
        exportIntervalMillis,
        readMilliseconds(env.OTEL_METRIC_EXPORT_TIMEOUT, metricTimeoutMilliseconds),
      );
      const startedAt = Date.now() - process.uptime() * 1_000;
      const reader = new PeriodicExportingMetricReader({
        exporter: noteFailures(exporter, note),
        exportIntervalMillis,
        exportTimeoutMillis,
        metricProducers: [new RegistryProducer(registry, resource, startedAt)],
      });
      this.#metrics = new MeterProvider({ resource, readers: [reader] });
    }
    const { ratio, followsCaller } = this.#sampling;
    logger.info({ ratio, followsCaller }, 'traces and metrics are sent to an OpenTelemetry collector');
  }

  isTraced(headers: AnsweredRequest['headers']): boolean {
    if (this.#tracer === undefined) return false;
    const { ratio, followsCaller } = this.#sampling;
    if (followsCaller && headers.traceparent !== undefined) {
      const caller = trace.getSpanContext(this.#parentOf(headers));
      if (caller !== undefined) return (caller.traceFlags & TraceFlags.SAMPLED) !== 0;
    }
    return Math.random() < ratio;
  }

  noteAnswer({ headers, method, route, status, milliseconds }: AnsweredRequest): void {
    if (this.#tracer === undefined) return;
    const end = Date.now();
    const span = this.#tracer.startSpan(
      `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        startTime: end - milliseconds,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          ...(status >= 500 && { 'error.type': String(status) }),
        },
      },
      this.#parentOf(headers),
    );
    // The semantic conventions: only faults of the server are errors of its spans.
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  }

  async close(): Promise<void> {
    const sent = Promise.allSettled([this.#traces?.shutdown(), this.#metrics?.shutdown()]);
    await Promise.race([sent, delay(closeMilliseconds, undefined, { ref: false })]);
  }

  /** The context in which the span of a request begins: the span of its caller, if there is one. */
  #parentOf(headers: AnsweredRequest['headers']): Context {
    return headers.traceparent === undefined
      ? ROOT_CONTEXT
      : this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
  }
}

function describeResource(version: string): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'muster',
        'service.version': version,
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] })); // OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
}

function samplingOf(env: Environment, logger: TelemetryOptions['logger']): Sampling {
  const sampling = readSampling(env.OTEL_TRACES_SAMPLER, env.OTEL_TRACES_SAMPLER_ARG);
  if (sampling !== undefined) return sampling;
  logger.warn('OTEL_TRACES_SAMPLER or OTEL_TRACES_SAMPLER_ARG is not valid: 1 % of the requests are traced');
  return defaultSampling;
}

function usesJson(
  signal: 'TRACES' | 'METRICS',
  env: Environment,
  logger: TelemetryOptions['logger'],
): boolean {
  const protocol =
    env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  if (protocol !== 'http/json' && protocol !== 'http/protobuf') {
    logger.warn(
      'OTEL_EXPORTER_OTLP_PROTOCOL takes http/protobuf or http/json: http/protobuf is used. The endpoint is then that for HTTP, usually port 4318',
    );
  }
  return protocol === 'http/json';
}

function readMilliseconds(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : otherwise;
}

/** The library tells failures only to a logger of the whole process. */
function noteFailures<
  Items,
  Exporter extends { export(items: Items, done: (result: ExportResult) => void): void },
>(exporter: Exporter, note: (error: Error | undefined) => void): Exporter {
  const send: Exporter['export'] = exporter.export.bind(exporter);
  exporter.export = (items: Items, done: (result: ExportResult) => void) =>
    send(items, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) note(result.error);
      done(result);
    });
  return exporter;
}
