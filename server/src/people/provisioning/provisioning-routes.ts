import { routes } from '@muster/contract';
import { requireUser } from '../../foundation/credentials/principal.ts';
import type { RouteMounter } from '../../foundation/http/mount-route.ts';
import type { ProvisioningService } from './provisioning-service.ts';

export function mountProvisioningRoutes(mounter: RouteMounter, provisioning: ProvisioningService): void {
  mounter.mount(routes.applyProvisioning, async ({ principal, body }) =>
    provisioning.apply(body, requireUser(principal)),
  );
}
