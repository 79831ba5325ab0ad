import { AgentForgetting } from '../agents/forgetting/agent-forgetting.ts';
import { removeSuperseded } from '../database/migrate.ts';
import type { EventService } from '../events/event-service.ts';
import { deleteEndedInvitations } from '../members/invitation-store.ts';
import { RetentionService } from '../retention/retention-service.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { deleteEnded } from '../users/sessions/session-store.ts';
import type { AppParts } from './app-parts.ts';
import type { Errors } from './create-errors.ts';
import type { Fleet } from './create-fleet.ts';
import type { People } from './create-people.ts';

interface UpkeepLinks {
  readonly people: People;
  readonly fleet: Fleet;
  readonly errors: Errors;
  readonly events: EventService;
  readonly tokens: TokenService;
}

/** What removes by itself what nobody needs any more. */
export function createUpkeep(parts: AppParts, { people, fleet, errors, events, tokens }: UpkeepLinks) {
  const { config, database, logger } = parts;
  const { agents, deletion, signs } = fleet;
  const { agentErrors, dismissals, errorGroups } = errors;
  const { rotations } = people;
  const forgetting = new AgentForgetting({
    ...parts,
    signs,
    deletion,
    days: config.forgetAgentsDays,
    onForgotten: (projectID, agentsCount) =>
      logger.info(
        { projectID, agentsCount },
        'deleted agents that were not heard: MUSTER_FORGET_AGENTS_DAYS',
      ),
  });
  const retention = new RetentionService({
    ...parts,
    forgetAgents: () => forgetting.forget(),
    agentErrors,
    dismissals,
    agents,
    events,
    rotations,
    tokens,
    purgeInvitations: (before) => deleteEndedInvitations(database, parts.closing, before),
    purgeSessions: (before) => deleteEnded(database, parts.closing, before),
    removeSuperseded: () => removeSuperseded(database),
    retentionDays: config.retentionDays,
    dismissSupersededDays: config.dismissSupersededDays,
    errorGroups,
  });

  return { forgetting, retention };
}
