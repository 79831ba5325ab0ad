import type { Kysely } from 'kysely';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';

interface AgentUpdate {
  readonly agent: { readonly id: string; readonly projectID: string; readonly name: string };
  /** The names of the fields that were sent. */
  readonly fields: readonly string[];
  /** Of the new configuration, if it has changed. */
  readonly configID: string | undefined;
}

/**
 * Records an update of an agent in its transaction. What agents and project tokens do, a whole fleet may do at once, so it is recorded together a
 * moment later; and agents describe only themselves, so of their updates only another configuration is recorded.
 */
export async function recordUpdate(
  trx: Kysely<Tables>,
  audit: Pick<AuditService, 'record' | 'recordLater'>,
  principal: Principal,
  { agent, fields, configID }: AgentUpdate,
): Promise<void> {
  const target = { kind: 'agent', id: agent.id, name: agent.name } as const;
  const action = configID === undefined ? 'agent.updated' : 'agent.configuration_changed';
  const { projectID } = agent;
  if (principal.kind === 'access') {
    await audit.record(trx, principal, { projectID, action, target, after: { fields, configID } });
  } else if (configID !== undefined || principal.kind === 'project') {
    await audit.recordLater(trx, principal, { projectID, action, target, after: { fields, configID } });
  }
}
