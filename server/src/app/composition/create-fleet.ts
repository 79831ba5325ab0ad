import { AgentService } from '../../fleet/agents/agent-service.ts';
import { AgentDeletion } from '../../fleet/agents/deletion/agent-deletion.ts';
import { DescriptionLimits } from '../../fleet/agents/description-limits.ts';
import { HeartbeatService } from '../../fleet/agents/liveness/heartbeat-service.ts';
import { Listening } from '../../fleet/agents/liveness/listening.ts';
import { SignsOfLife } from '../../fleet/agents/liveness/signs-of-life.ts';
import { SiteAgentsService } from '../../fleet/agents/liveness/site-agents-service.ts';
import { RegistrationService } from '../../fleet/agents/registration-service.ts';
import { SilenceWatch } from '../../fleet/agents/states/silence-watch.ts';
import { FleetAgents } from '../../fleet/fleets/fleet-agents.ts';
import { ServedSecrets } from '../../fleet/fleets/values/served-secrets.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { UsageService } from '../../fleet/usage/usage-service.ts';
import { createFleetTransactions } from '../../foundation/database/fleet-transactions.ts';
import { SummedWarning } from '../../foundation/http/summed-warning.ts';
import type { SecretBox } from '../../foundation/secret-box.ts';
import type { AppParts } from './app-parts.ts';

interface FleetLinks {
  readonly projects: ProjectService;
  readonly box: SecretBox;
  /** What is remembered of the errors of an agent is not true any more. */
  readonly onAgentChanged: (agentID: string) => void;
  /** Its errors can be removed. */
  readonly onAgentsDeleted: (agentIDs: readonly string[]) => Promise<void>;
}

export type Fleet = ReturnType<typeof createFleet>;

/** Agents: their registration, their signs of life, and what they may store. */
export function createFleet(parts: AppParts, { projects, box, onAgentChanged, onAgentsDeleted }: FleetLinks) {
  const { config, database, logger, metrics, newID } = parts;
  const agentsWarning = new SummedWarning(
    logger,
    'agents were refused with 429: projects have reached MUSTER_MAX_AGENTS_PER_PROJECT; projectID is one of them',
  );
  const usage = new UsageService({
    ...parts,
    limits: { agents: config.maxAgentsPerProject, storedBytes: config.maxStoredBytesPerProject },
    onRefusedAgent: (projectID) => agentsWarning.note({ projectID }),
  });
  metrics.observeUsage(() => usage.fullest);
  const leftOutWarning = new SummedWarning(
    logger,
    'some data that agents sent was not stored, because limits are reached: see MUSTER_MAX_STORED_BYTES_PER_PROJECT and MUSTER_MAX_METADATA_BYTES_PER_AGENT; projectID is one of the projects',
  );
  const servedSecrets = new ServedSecrets(database, box);
  const descriptions = new DescriptionLimits({
    newID,
    usage,
    maxMetadataBytes: config.maxMetadataBytesPerAgent,
    secrets: servedSecrets,
    onLeftOut: (what, projectID) => {
      metrics.countLeftOut(what);
      leftOutWarning.note({ projectID, what });
    },
  });
  const transactions = createFleetTransactions(database);
  const listening = new Listening(parts);
  const signs = new SignsOfLife({ ...parts, listening });
  const silence = new SilenceWatch({ ...parts, listening, signs });
  const fleetAgents = new FleetAgents(parts);
  const deletion = new AgentDeletion({
    ...parts,
    roll: fleetAgents,
    signs,
    listening,
    projects,
    onChange: onAgentChanged,
    onDelete: onAgentsDeleted,
  });
  const agents = new AgentService({
    ...parts,
    roll: fleetAgents,
    transactions,
    descriptions,
    signs,
    listening,
    projects,
    deletion,
    onChange: onAgentChanged,
  });
  const registrations = new RegistrationService({
    ...parts,
    roll: fleetAgents,
    transactions,
    descriptions,
    signs,
    usage,
    mode: config.registration,
    onChange: onAgentChanged,
    onTokensChanged: (digests) => agents.forgetTokens(digests),
  });
  const heartbeats = new HeartbeatService({ database, signs, registrations });
  const siteAgents = new SiteAgentsService({ database, listening });
  return {
    agents,
    deletion,
    fleetAgents,
    heartbeats,
    listening,
    registrations,
    servedSecrets,
    signs,
    silence,
    siteAgents,
    usage,
  };
}
