import { routes } from '@muster/contract';
import type { AddressBuckets } from '@muster/http/limits/address-buckets';
import { addressOf } from '../../foundation/http/authentication/sender.ts';
import type { RouteMounter } from '../../foundation/http/mount-route.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { LeakService } from './leak-service.ts';

/** Maximum number of reports of one address per minute. */
export const leakReportsPerMinute = 30;

export function mountLeakRoutes(mounter: RouteMounter, leaks: LeakService, buckets: AddressBuckets): void {
  mounter.mount(routes.reportTokenLeaks, async ({ body, origin, request }) => {
    const { taken, bucket } = buckets.take(addressOf(request));
    if (!taken) {
      throw new Refusal('too_many_leak_reports', {
        retryAfterSeconds: buckets.millisecondsToNext(bucket) / 1_000,
      });
    }
    await leaks.report(body, origin);
    return { received: body.length };
  });
}
