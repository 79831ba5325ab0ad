import type { Telemetry, TelemetryOptions } from './telemetry.ts';

/** Starts sending if a variable names a collector. Otherwise undefined, and nothing of the library is loaded. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry | undefined> {
  if (!namesCollector(options.env)) return undefined;
  const { OtlpTelemetry } = await import('./otlp-telemetry.ts');
  return new OtlpTelemetry(options);
}

function namesCollector(env: TelemetryOptions['env']): boolean {
  const names = [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  ];
  return env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' && names.some((name) => (env[name] ?? '') !== '');
}
