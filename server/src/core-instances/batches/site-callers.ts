import { agentGrants, type CoreInstanceItem, type Permission } from '@muster/contract';
import {
  type AgentPrincipal,
  type CoreInstancePrincipal,
  type ProjectTokenPrincipal,
  requireGrant,
} from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import * as store from './batch-store.ts';

export type SiteCaller = AgentPrincipal | ProjectTokenPrincipal;

interface SiteCallersOptions {
  readonly database: Database;
  readonly tokens: Pick<TokenService, 'findForSite' | 'noteUse'>;
}

type Tokens = Awaited<ReturnType<TokenService['findForSite']>>;
type By = Exclude<CoreInstanceItem, { kind: 'registration' }>['by'];

/**
 * On whose behalf a core instance speaks. It may name the project tokens and the agents of its own project, as they are now: who was revoked since the
 * site accepted it is refused here.
 */
export class SiteCallers {
  readonly #options: SiteCallersOptions;
  readonly #instance: CoreInstancePrincipal;
  readonly #tokens: Tokens;
  readonly #agents: Map<string, store.SiteAgent>;
  readonly #aliases: Map<string, string>;

  private constructor(
    options: SiteCallersOptions,
    instance: CoreInstancePrincipal,
    found: {
      readonly tokens: Tokens;
      readonly agents: readonly store.SiteAgent[];
      readonly aliases: ReadonlyMap<string, string>;
    },
  ) {
    this.#options = options;
    this.#instance = instance;
    this.#tokens = found.tokens;
    this.#agents = new Map(found.agents.map((agent) => [agent.id, agent]));
    this.#aliases = new Map(found.aliases);
  }

  /** Looks up all that the items name. */
  static async find(
    options: SiteCallersOptions,
    instance: CoreInstancePrincipal,
    items: readonly CoreInstanceItem[],
  ): Promise<SiteCallers> {
    const { database, tokens } = options;
    const { projectID } = instance;
    const tokenIDs = new Set<string>();
    const agentIDs = new Set<string>();
    for (const item of items) {
      if ('agentID' in item && item.agentID !== undefined) agentIDs.add(item.agentID.toLowerCase());
      const by = item.kind === 'registration' ? { tokenID: item.tokenID } : item.by;
      if ('tokenID' in by) tokenIDs.add(by.tokenID.toLowerCase());
      else agentIDs.add(by.agentID.toLowerCase());
    }
    const listAgents = (ids: readonly string[]) =>
      store.listSiteAgents(database.read, database.engine, projectID, ids);
    const agents = await listAgents([...agentIDs]);
    for (const { id } of agents) agentIDs.delete(id);
    const aliases = await store.listAliases(database.read, database.engine, projectID, [...agentIDs]);
    return new SiteCallers(options, instance, {
      tokens: await tokens.findForSite(projectID, [...tokenIDs]),
      agents: [...agents, ...(await listAgents([...new Set(aliases.values())]))],
      aliases,
    });
  }

  /** The id under which an agent is known. One that exists is never an alias of another. */
  idOf(agentID: string): string {
    const id = agentID.toLowerCase();
    return this.#agents.has(id) ? id : (this.#aliases.get(id) ?? id);
  }

  /** The agent of which it is another id; undefined: of none that exists. */
  aliasOf(agentID: string): string | undefined {
    const id = this.#agents.has(agentID) ? undefined : this.#aliases.get(agentID);
    return id !== undefined && this.#agents.get(id)?.deleted_at === null ? id : undefined;
  }

  /** Called when an agent was registered: what follows in the batch may be on its behalf. */
  noteRegistered(siteID: string, agentID: string): void {
    this.#agents.set(agentID, { id: agentID, deleted_at: null, tokens: 1 });
    if (siteID !== agentID) this.#aliases.set(siteID, agentID);
  }

  /**
   * @param at when the item happened: a token that has expired since was valid then
   * @throws Refusal invalid_credential, revoked_credential, expired_credential, agent_deleted, permission_denied
   */
  requireToken(tokenID: string, at: number, permissions: readonly Permission[]): ProjectTokenPrincipal {
    const found = this.#tokens.get(tokenID.toLowerCase());
    if (found === undefined || found.principal.kind !== 'project') throw unknown(`project token ${tokenID}`);
    const { principal } = found;
    if (found.revoked) throw new Refusal('revoked_credential');
    if (principal.expiresAt !== null && principal.expiresAt <= at) throw new Refusal('expired_credential');
    for (const permission of permissions) requireGrant(principal.grants, permission);
    this.#options.tokens.noteUse(principal, at);
    return { ...principal, origin: this.#instance.origin };
  }

  /** The caller of an item about an agent. @throws Refusal as above; not_found for an agent about which it may not speak */
  require(by: By, agentID: string, at: number, permission: Permission): SiteCaller {
    const caller =
      'tokenID' in by ? this.requireToken(by.tokenID, at, [permission]) : this.#agent(by.agentID);
    const agent = this.#agents.get(agentID);
    // Both are of the project; an agent speaks for itself alone.
    const isOther = caller.kind === 'agent' && caller.agentID !== agentID;
    if (agent === undefined || isOther) {
      throw new Refusal('not_found', {
        detail: `There is no agent ${agentID} that this credential can see.`,
      });
    }
    if (agent.deleted_at !== null) throw new Refusal('agent_deleted');
    if (caller.kind === 'agent') requireGrant(caller.grants, permission);
    return caller;
  }

  #agent(siteID: string): AgentPrincipal {
    const agentID = this.idOf(siteID);
    const agent = this.#agents.get(agentID);
    if (agent === undefined) throw unknown(`agent ${siteID}`);
    if (agent.deleted_at !== null) throw new Refusal('agent_deleted');
    if (agent.tokens === 0) throw new Refusal('revoked_credential');
    return {
      kind: 'agent',
      agentID,
      projectID: this.#instance.projectID,
      grants: agentGrants,
      expiresAt: null,
      origin: this.#instance.origin,
    };
  }
}

function unknown(what: string): Refusal {
  return new Refusal('invalid_credential', {
    detail: `The project of this core instance has no ${what}.`,
  });
}
