import { BatchService } from '../../core-instances/batches/batch-service.ts';
import { CoreInstanceCredentials } from '../../core-instances/core-instance-credentials.ts';
import { CoreInstanceService } from '../../core-instances/core-instance-service.ts';
import { SiteCredentialList } from '../../core-instances/site-credentials.ts';
import { SiteWatch } from '../../core-instances/site-watch.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { SiteTokenService } from '../../people/tokens/site-token-service.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import type { AppParts } from './app-parts.ts';
import type { Errors } from './create-errors.ts';
import type { Fleet } from './create-fleet.ts';
import type { Fleets } from './create-fleets.ts';

interface CoreInstanceLinks {
  readonly projects: ProjectService;
  readonly tokens: TokenService;
  readonly fleet: Fleet;
  readonly fleets: Pick<Fleets, 'siteFleets'>;
  readonly errors: Errors;
}

export type CoreInstances = ReturnType<typeof createCoreInstances>;

/** Musters at sites. */
export function createCoreInstances(
  parts: AppParts,
  { projects, tokens, fleet, fleets, errors }: CoreInstanceLinks,
) {
  const credentials = new CoreInstanceCredentials(parts);
  const coreInstances = new CoreInstanceService({
    ...parts,
    projects,
    credentials,
    listening: fleet.listening,
    siteAgents: fleet.siteAgents,
  });
  const { config } = parts;
  const siteCredentials = new SiteCredentialList({
    ...parts,
    siteTokens: new SiteTokenService(parts),
    limits: {
      newErrorsPerAgentPerMinute: config.newErrorsPerAgentPerMinute,
      newErrorsPerProjectPerSecond: config.newErrorsPerProjectPerSecond,
      invalidCredentialsPerAddressPerMinute: config.invalidCredentialsPerAddressPerMinute,
      registration: config.registration,
    },
  });
  const { reports } = errors;
  const { siteFleets } = fleets;
  const batches = new BatchService({
    ...parts,
    ...fleet,
    reports,
    tokens,
    siteCredentials,
    siteFleets,
    onGap: (gap) =>
      parts.logger.warn(
        gap,
        'a core instance left out batches: its spool was probably lost, or this database was restored',
      ),
  });
  const watch = new SiteWatch({ ...parts, ...fleet });
  return { batches, credentials, coreInstances, siteCredentials, siteFleets, watch };
}
