import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';

export interface TelemetryOptions {
  /** The variables of the OpenTelemetry specification, which its library reads too. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Pick<FastifyBaseLogger, 'info' | 'warn'>;
  readonly registry: Registry;
  readonly version: string;
}

export interface AnsweredRequest {
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  /** Pattern of the route; `none` if there is none. */
  readonly route: string;
  readonly status: number;
  /** From the first byte of the request to the last byte of the answer. */
  readonly milliseconds: number;
}

/** Sends traces and metrics to an OpenTelemetry collector. */
export interface Telemetry {
  /** Decides whether a request is traced, before anything is made for its span. Costs next to nothing without `traceparent`. */
  isTraced(headers: IncomingHttpHeaders): boolean;
  /** Called after the answer of a traced request. Never fails, and never waits. */
  noteAnswer(answered: AnsweredRequest): void;
  /** Sends what is left, within a limit of time. */
  close(): Promise<void>;
}
