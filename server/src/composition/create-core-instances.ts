import { CoreInstanceCredentials } from '../core-instances/core-instance-credentials.ts';
import { CoreInstanceService } from '../core-instances/core-instance-service.ts';
import { SiteCredentialList } from '../core-instances/site-credentials.ts';
import type { ProjectService } from '../projects/project-service.ts';
import type { TokenService } from '../tokens/token-service.ts';
import type { AppParts } from './app-parts.ts';

interface CoreInstanceLinks {
  readonly projects: ProjectService;
  readonly tokens: TokenService;
}

export type CoreInstances = ReturnType<typeof createCoreInstances>;

/** Musters at sites. */
export function createCoreInstances(parts: AppParts, { projects, tokens }: CoreInstanceLinks) {
  const credentials = new CoreInstanceCredentials(parts);
  const coreInstances = new CoreInstanceService({ ...parts, projects, credentials });
  const siteCredentials = new SiteCredentialList({ ...parts, tokens });
  return { credentials, coreInstances, siteCredentials };
}
