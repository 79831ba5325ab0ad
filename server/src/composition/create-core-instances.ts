import { BatchService } from '../core-instances/batches/batch-service.ts';
import { CoreInstanceCredentials } from '../core-instances/core-instance-credentials.ts';
import { CoreInstanceService } from '../core-instances/core-instance-service.ts';
import { SiteCredentialList } from '../core-instances/site-credentials.ts';
import type { ProjectService } from '../projects/project-service.ts';
import type { TokenService } from '../tokens/token-service.ts';
import type { AppParts } from './app-parts.ts';
import type { Errors } from './create-errors.ts';
import type { Fleet } from './create-fleet.ts';

interface CoreInstanceLinks {
  readonly projects: ProjectService;
  readonly tokens: TokenService;
  readonly fleet: Fleet;
  readonly errors: Errors;
}

export type CoreInstances = ReturnType<typeof createCoreInstances>;

/** Musters at sites. */
export function createCoreInstances(parts: AppParts, { projects, tokens, fleet, errors }: CoreInstanceLinks) {
  const credentials = new CoreInstanceCredentials(parts);
  const coreInstances = new CoreInstanceService({ ...parts, projects, credentials });
  const siteCredentials = new SiteCredentialList({ ...parts, tokens });
  const { agentErrors } = errors;
  const batches = new BatchService({ ...parts, ...fleet, agentErrors, tokens, siteCredentials });
  return { batches, credentials, coreInstances, siteCredentials };
}
