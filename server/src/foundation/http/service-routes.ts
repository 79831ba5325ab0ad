import { type OpenApiDocument, routes } from '@muster/contract';
import type { Database } from '../database/database.ts';
import { Refusal } from '../refusal.ts';
import type { Secret } from '../secret.ts';
import { requireMetricsToken } from './metrics/require-metrics-token.ts';
import type { ServiceMetrics } from './metrics/service-metrics.ts';
import { JsonText, type RouteMounter } from './mount-route.ts';

interface ServiceRoutesOptions {
  readonly version: string;
  readonly engine: Database['engine'];
  readonly metrics: ServiceMetrics;
  /** Absent: everybody may read the metrics. */
  readonly metricsToken: Secret | undefined;
  /** Makes it at its first call, so that the start does not wait for it. */
  readonly readDocument: () => OpenApiDocument;
  /** Rejects if the database does not answer. */
  readonly checkDatabase: () => Promise<void>;
  readonly isStopping: () => boolean;
}

export function mountServiceRoutes(mounter: RouteMounter, options: ServiceRoutesOptions): void {
  let document: JsonText | undefined;

  mounter.mount(routes.getLiveness, async () => ({ status: 'ok' as const, version: options.version }));

  mounter.mount(routes.getReadiness, async () => {
    if (options.isStopping()) throw new Refusal('shutting_down');
    try {
      await options.checkDatabase();
    } catch (cause) {
      throw new Refusal('database_unavailable', { cause });
    }
    return { status: 'ready' as const, database: options.engine };
  });

  mounter.mount(
    routes.getMetrics,
    async ({ request }) => {
      requireMetricsToken(options.metricsToken, request);
      return options.metrics.registry.metrics();
    },
    { takesTurns: () => true },
  );

  mounter.mount(routes.getOpenApi, async () => {
    document ??= new JsonText(JSON.stringify(options.readDocument()));
    return document;
  });
}
