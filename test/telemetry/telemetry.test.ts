import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';
import { type Attribute, OtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts';

const adminToken = 'the-access-token-of-the-administrator';
let receiver: OtlpReceiver;
let replica: MusterProcess | undefined;
afterEach(async () => {
  await replica?.end('SIGKILL');
  replica = undefined;
  await receiver.close();
});

interface Started {
  readonly url: string;
  readonly projectID: string;
  readonly token: string;
}

async function start(env: Readonly<Record<string, string>>): Promise<Started> {
  replica = await startMuster({ env: { MUSTER_ADMIN_TOKEN: adminToken, ...env } });
  const { url } = replica;
  const created = await send<{ id: string; token: string }>(`${url}/v1/projects`, {
    headers: { authorization: `Bearer ${adminToken}` },
    body: { name: 'traced' },
  });
  return { url, projectID: created.body.id, token: created.body.token };
}

const everything = {
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
};

async function report({ url, token }: Started, headers: Readonly<Record<string, string>> = {}) {
  const { status } = await send(`${url}/v1/machines/traced/errors`, {
    headers: { 'X-Project-Token': token, ...headers },
    body: { error: 'canary text of an error' },
  });
  expect(status).toBe(201);
}

function attributeValue(attributes: readonly Attribute[], key: string): unknown {
  const found = attributes.find((attribute) => attribute.key === key);
  return found && Object.values(found.value)[0];
}

function spansOf(route: string): ReceivedSpan[] {
  return receiver.spans().filter(({ name }) => name === route);
}

const reports = 'POST /v1/machines/:machineID/errors';

describe('a service with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('sends spans and metrics, the last ones when it stops', async () => {
    receiver = await OtlpReceiver.start();
    const started = await start({
      ...everything,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer canary-of-the-collector',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    // The first one by the framework, the others by the shortcut.
    for (let count = 0; count < 3; count += 1) await report(started);
    await send(`${started.url}/v1/nothing?canary=query`);
    expect(await replica?.end()).toEqual({ code: 0, signal: null });

    expect(spansOf(reports)).toHaveLength(3);
    for (const span of spansOf(reports)) {
      expect(span).toMatchObject({ kind: 2, status: { code: 0 } });
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
      expect(span.attributes).toEqual([
        { key: 'http.request.method', value: { stringValue: 'POST' } },
        { key: 'http.route', value: { stringValue: '/v1/machines/:machineID/errors' } },
        { key: 'http.response.status_code', value: { intValue: 201 } },
      ]);
    }
    expect(
      spansOf('GET none').map(({ attributes }) => attributeValue(attributes, 'http.response.status_code')),
    ).toEqual([404]);

    const ofName = (name: string) => receiver.metrics().find((metric) => metric.name === name);
    expect(ofName('muster_agent_error_reports_total')?.sum).toMatchObject({
      isMonotonic: true,
      dataPoints: [
        { attributes: [{ key: 'outcome', value: { stringValue: 'created' } }], asDouble: 1 },
        { attributes: [{ key: 'outcome', value: { stringValue: 'ignored' } }], asDouble: 2 },
      ],
    });
    expect(ofName('muster_process_resident_memory_bytes')).toMatchObject({ unit: 'By' });
    const durations = ofName('muster_http_request_duration_seconds');
    expect(durations?.unit).toBe('s');
    const ofReports = durations?.histogram?.dataPoints.filter(
      ({ attributes }) => attributeValue(attributes, 'route') === '/v1/machines/:machineID/errors',
    );
    expect(ofReports?.map(({ count }) => Number(count))).toEqual([3]);
    const [counts = [], bounds = []] = [ofReports?.[0]?.bucketCounts, ofReports?.[0]?.explicitBounds];
    expect(counts.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(3);
    expect(counts).toHaveLength(bounds.length + 1);

    for (const { attributes } of receiver.resources()) {
      expect(attributeValue(attributes, 'service.name')).toBe('muster');
      expect(attributeValue(attributes, 'service.version')).toMatch(/^\d+\.\d+\.\d+/);
      expect(attributeValue(attributes, 'deployment.environment.name')).toBe('test');
    }
    expect(new Set(receiver.received.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer canary-of-the-collector']),
    );
    // No texts of errors, credentials, queries, or ids of agents' machines.
    for (const secret of ['canary', started.token, adminToken, started.projectID, 'traced']) {
      expect(receiver.text).not.toContain(secret);
    }
    expect(replica?.stderr.text).not.toContain('canary');
  });

  it('continues the traces of its callers, does what they have decided, and sends no metrics if it is told so', async () => {
    receiver = await OtlpReceiver.start();
    const started = await start({
      ...everything,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_METRICS_EXPORTER: 'none',
    });
    const traced = '4bf92f3577b34da6a3ce929d0e0e4736';
    await report(started);
    await report(started, { traceparent: `00-${traced}-00f067aa0ba902b7-01`, tracestate: 'vendor=value' });
    await report(started, { traceparent: '00-5bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00' });
    await report(started, { traceparent: 'not a trace' });
    await replica?.end();
    expect(spansOf(reports).map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual([
      [traced, '00f067aa0ba902b7'],
    ]);
    expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
  });

  it('speaks protobuf unless it is told otherwise', async () => {
    receiver = await OtlpReceiver.start();
    const started = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_TRACES_SAMPLER: 'always_on',
    });
    await report(started);
    await replica?.end();
    expect(new Set(receiver.received.map(({ path, contentType }) => `${path} ${contentType}`))).toEqual(
      new Set(['/v1/traces application/x-protobuf', '/v1/metrics application/x-protobuf']),
    );
    expect(receiver.text).toContain(reports);
    expect(receiver.text).not.toContain('canary');
  });

  it.each(['hangs', 'fails'] as const)('is not affected by a collector that %s', async (behaviour) => {
    receiver = await OtlpReceiver.start(behaviour);
    const started = await start({
      ...everything,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRIC_EXPORT_INTERVAL: '400',
    });
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(2));
    for (let count = 0; count < 50; count += 1) await report(started);
    await eventually(() =>
      expect(replica?.stderr.text).toContain('could not be sent to the OpenTelemetry collector'),
    );
    expect(replica?.stderr.text).not.toContain('canary');
    expect(await replica?.end()).toEqual({ code: 0, signal: null });
  });

  it('is not affected by a collector that is not there', async () => {
    receiver = await OtlpReceiver.start();
    const { url } = receiver;
    await receiver.close();
    const started = await start({ ...everything, OTEL_EXPORTER_OTLP_ENDPOINT: url });
    await report(started);
    expect(await replica?.end()).toEqual({ code: 0, signal: null });
    receiver = await OtlpReceiver.start();
  });

  it('sends nothing with OTEL_SDK_DISABLED', async () => {
    receiver = await OtlpReceiver.start();
    const off = await start({
      ...everything,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_SDK_DISABLED: 'true',
    });
    await report(off);
    await replica?.end();
    expect(receiver.received).toEqual([]);
  });
});
