import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { DurationHistogram } from './duration-histogram.ts';

it('exports what the histogram of the library exports', async () => {
  const shared = { name: 'muster_test_seconds', help: 'For tests.', buckets: [0.001, 0.5, 10] };
  const ofLibrary = new Registry();
  const library = new Histogram({ ...shared, labelNames: ['route', 'status'], registers: [ofLibrary] });
  const registry = new Registry();
  const own = new DurationHistogram({ ...shared, labelNames: ['route', 'status'], registry });
  // A series without a duration is not exported.
  own.observerOf({ route: '/b', status: '503' });
  library.labels({ route: '/b', status: '503' });
  for (const [route, milliseconds] of [
    ['/a', 0],
    ['/a', 1],
    ['/b', 1.5],
    ['/a', 500],
    ['/b', 10_000],
    ['/b', 10_001],
  ] as const) {
    own.observerOf({ route, status: '201' })(milliseconds);
    library.observe({ route, status: '201' }, milliseconds / 1_000);
  }

  expect(await registry.metrics()).toBe(await ofLibrary.metrics());
});
