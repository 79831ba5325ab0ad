import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly Attribute[];
}

export interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface DataPoint {
  readonly attributes: readonly Attribute[];
  readonly asDouble?: number;
  readonly count?: number | string;
  readonly bucketCounts?: readonly (number | string)[];
  readonly explicitBounds?: readonly number[];
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly DataPoint[] };
  readonly gauge?: { readonly dataPoints: readonly DataPoint[] };
  readonly histogram?: { readonly dataPoints: readonly DataPoint[] };
}

interface Resource {
  readonly attributes: readonly Attribute[];
}

interface Received {
  readonly path: string;
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  readonly body: Buffer;
}

type Behaviour = 'answers' | 'hangs' | 'fails';

/** A collector's receiver of OTLP over HTTP (JSON and protobuf), as far as the tests need it. */
export class OtlpReceiver {
  readonly received: Received[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(behaviour: Behaviour = 'answers'): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { 'content-type': contentType, authorization } = request.headers;
        receiver.received.push({
          path: request.url ?? '',
          contentType,
          authorization,
          body: Buffer.concat(chunks),
        });
        if (behaviour === 'answers')
          response
            .setHeader('Content-Type', contentType ?? 'text/plain')
            .end(contentType?.includes('json') ? '{}' : '');
        if (behaviour === 'fails') response.writeHead(500).end('the collector has failed');
      });
    });
    const receiver = new OtlpReceiver(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    const { port } = this.#server.address() as { port: number }; // it listens on TCP
    return `http://127.0.0.1:${port}`;
  }

  /** Everything that came, as text. */
  get text(): string {
    return this.received.map(({ body }) => body.toString('latin1')).join('\n');
  }

  spans(): ReceivedSpan[] {
    return this.#bodies<{ resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] }>(
      '/v1/traces',
    ).flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  /** The metrics of the last export. */
  metrics(): ReceivedMetric[] {
    const last = this.#bodies<{ resourceMetrics: { scopeMetrics: { metrics: ReceivedMetric[] }[] }[] }>(
      '/v1/metrics',
    ).at(-1);
    return (last?.resourceMetrics ?? []).flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ metrics }) => metrics),
    );
  }

  resources(): Resource[] {
    const traces = this.#bodies<{ resourceSpans: { resource: Resource }[] }>('/v1/traces');
    const metrics = this.#bodies<{ resourceMetrics: { resource: Resource }[] }>('/v1/metrics');
    return [
      ...traces.flatMap(({ resourceSpans }) => resourceSpans),
      ...metrics.flatMap(({ resourceMetrics }) => resourceMetrics),
    ].map(({ resource }) => resource);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #bodies<Body>(path: string): Body[] {
    return this.received
      .filter((one) => one.path === path && one.contentType === 'application/json')
      .map(({ body }) => JSON.parse(body.toString()) as Body); // as OTLP defines it
  }
}
