import {
  maxFleetSecrets,
  maxFleetVariables,
  type UpdateFleetSecrets,
  type UpdateFleetVariables,
} from '@muster/contract';
import { explainUnsafeValue } from '@muster/fleet-config';
import { redactKnownSecrets } from '@muster/redaction';
import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../../foundation/clock.ts';
import { noteCredentialChange } from '../../../foundation/credentials/credential-freshness.ts';
import { actorOf, nameOf, type Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { noteEvent } from '../../../foundation/database/note-event.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../../foundation/list-page.ts';
import { invalidBody, Refusal } from '../../../foundation/refusal.ts';
import type { SecretBox } from '../../../foundation/secret-box.ts';
import type { AuditService } from '../../../record/audit/audit-service.ts';
import type { ProjectService } from '../../projects/project-service.ts';
import { fleetNotFound, requireFleet } from '../fleet-access.ts';
import { hasAnonymousAgents } from '../fleet-agent-store.ts';
import type { FleetAgents } from '../fleet-agents.ts';
import type { FleetPublications } from '../fleet-publications.ts';
import { type FleetRow, lockFleet } from '../fleet-store.ts';
import { findVersion } from '../fleet-version-store.ts';
import { findCurrent, noteFleetChange } from '../publication-store.ts';
import { freezeOf, frozen } from '../rollouts/freeze-service.ts';
import type { Freeze } from '../rollouts/freeze-windows.ts';
import { findNewestRollout, type RolloutRow } from '../rollouts/rollout-store.ts';
import { openSecret } from './load-values.ts';
import { type UsedValues, usedValues } from './require-values.ts';
import * as store from './value-store.ts';

interface FleetValueServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  readonly projects: Pick<ProjectService, 'lock'>;
  readonly box: SecretBox;
  readonly publications: FleetPublications;
  /** Of what they were offered with which values. */
  readonly agents: Pick<FleetAgents, 'flush'>;
  /** Called in the same turn of the event loop in which a change of a fleet was committed. */
  readonly onChange: (fleetID: string) => void;
}

export interface ListedVariable extends store.VariableRow {
  readonly isUsed: boolean;
  /** Null: it is for no single agent, or for one that was deleted. */
  readonly agentName: string | null;
}

export interface ListedSecret extends store.SecretRow {
  readonly isUsed: boolean;
}

/** What has become another value. */
interface Changed {
  readonly names: readonly string[];
  /** Those that nothing has a value of any more. */
  readonly gone: readonly string[];
  /** True if what all agents of the fleet get can be another content by it. */
  readonly isForAll: boolean;
  /** For the audit log. */
  readonly about?: { readonly tag?: string; readonly agentID?: string };
}

/** What variables in the configurations of fleets stand for. */
export class FleetValueService {
  readonly #options: FleetValueServiceOptions;

  constructor(options: FleetValueServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found */
  async listVariables(
    principal: Principal,
    fleetID: string,
    name: string | undefined,
    page: Page,
  ): Promise<PageOf<ListedVariable>> {
    const { database } = this.#options;
    const fleet = await requireFleet(database.read, principal, fleetID);
    const { rows, hasNext } = toPage(await store.listVariables(database.read, fleetID, name, page), page);
    const { configs } = await this.#findServed(database.read, fleet);
    const { vars } = usedValues(...configs);
    const agentIDs = rows.flatMap(({ subject_kind: kind, subject }) => (kind === 'agent' ? [subject] : []));
    const names = await store.listAgentNames(database, agentIDs);
    return {
      rows: rows.map((row) => ({
        ...row,
        isUsed: vars.has(row.name),
        agentName: row.subject_kind === 'agent' ? (names.get(row.subject) ?? null) : null,
      })),
      hasNext,
    };
  }

  /** Without values. @throws Refusal not_found */
  async listSecrets(principal: Principal, fleetID: string): Promise<ListedSecret[]> {
    const { read } = this.#options.database;
    const fleet = await requireFleet(read, principal, fleetID);
    const { configs } = await this.#findServed(read, fleet);
    const { secrets } = usedValues(...configs);
    return (await store.listSecrets(read, fleetID)).map((row) => ({
      ...row,
      isUsed: secrets.has(row.name),
    }));
  }

  /** @throws Refusal not_found, invalid_body, fleet_rollout_open, rollouts_frozen, invalid_fleet_config, too_many_fleet_values */
  async updateVariables(principal: Principal, fleetID: string, input: UpdateFleetVariables): Promise<number> {
    const { tag, agentID } = input;
    if (tag !== undefined && agentID !== undefined)
      throw invalidBody([{ path: '/tag', message: 'must not be sent with agentID: choose one of the two' }]);
    requireChange(input);
    const faults = (input.set ?? []).flatMap(({ value }, index) => {
      const message =
        explainUnsafeValue(value) ??
        (redactKnownSecrets(value) === value
          ? undefined
          : 'is a secret, which everybody who may read fleets could read: set it as one');
      return message === undefined ? [] : [{ path: `/set/${index}/value`, message }];
    });
    if (faults.length > 0) throw invalidBody(faults);
    const subject: store.Subject =
      agentID !== undefined
        ? { kind: 'agent', name: agentID.toLowerCase() }
        : { kind: tag === undefined ? 'fleet' : 'tag', name: tag ?? '' };
    return this.#change(principal, fleetID, { scope: 'vars', ...input }, (trx, fleet) =>
      this.#setVariables(trx, principal, fleet, subject, input),
    );
  }

  /** @throws Refusal not_found, invalid_body, fleet_rollout_open, rollouts_frozen, invalid_fleet_config, too_many_fleet_values, secret_key_missing */
  async updateSecrets(principal: Principal, fleetID: string, input: UpdateFleetSecrets): Promise<number> {
    requireChange(input);
    const faults = (input.set ?? []).flatMap(({ value }, index) => {
      const message =
        explainUnsafeValue(value) ??
        (value.includes('$' + '{')
          ? 'must not contain a dollar sign before a brace: agents replace what follows by a variable of their environment'
          : undefined);
      return message === undefined ? [] : [{ path: `/set/${index}/value`, message }];
    });
    if (faults.length > 0) throw invalidBody(faults);
    if (!this.#options.box.canSeal) throw new Refusal('secret_key_missing');
    return this.#change(principal, fleetID, { scope: 'secrets', ...input }, (trx, fleet) =>
      this.#setSecrets(trx, principal, fleet, input),
    );
  }

  async #change(
    principal: Principal,
    fleetID: string,
    {
      scope,
      despiteFreeze = false,
    }: { readonly scope: keyof UsedValues; readonly despiteFreeze?: boolean | undefined },
    change: (trx: Kysely<Tables>, fleet: FleetRow) => Promise<Changed>,
  ): Promise<number> {
    const { database, audit, agents, onChange } = this.#options;
    await requireFleet(database.read, principal, fleetID);
    await agents.flush();
    const count = await database.write.transaction().execute(async (trx) => {
      const fleet = await lockFleet(trx, database.engine, fleetID);
      if (fleet === undefined) throw fleetNotFound(fleetID);
      const { names, gone, isForAll, about = {} } = await change(trx, fleet);
      if (names.length === 0) return 0;
      const { id, name, project_id: projectID } = fleet;
      const served = await this.#findServed(trx, fleet);
      const used = usedValues(...served.configs)[scope];
      const reachesAgents = names.some((one) => used.has(one));
      if (reachesAgents && served.open !== undefined) throw isUnderWay(fleet, served.open);
      const missing = gone.filter((one) => used.has(one));
      if (missing.length > 0) {
        throw new Refusal('invalid_fleet_config', {
          detail: `The configuration of the fleet uses ${missing.map((one) => `{{${scope}.${one}}}`).join(', ')}. Change the configuration first.`,
        });
      }
      const freeze = reachesAgents ? await this.#freezeOf(trx, projectID) : undefined;
      if (freeze !== undefined && !despiteFreeze) throw frozen(freeze);
      if (isForAll && reachesAgents) await this.#serveAgain(trx, fleet, served);
      const kind = scope === 'vars' ? 'variables' : 'secrets';
      await noteEvent(trx, projectID, { type: `fleet.${kind}_changed`, fleetID, name });
      await audit.record(trx, principal, {
        projectID,
        action: `fleet.${kind}_changed`,
        target: { kind: 'fleet', id, name },
        after: { names: [...names], ...about, ...(freeze && { freeze: freeze.name }) },
      });
      await noteFleetChange(trx);
      // Replicas that have admitted a report look again which secrets it can have in it.
      if (scope === 'secrets') await noteCredentialChange(trx);
      return names.length;
    });
    onChange(fleetID);
    return count;
  }

  /** What agents of the fleet get, and may get by the newest rollout. */
  async #findServed(db: Kysely<Tables>, { id, current_version_id: versionID }: FleetRow): Promise<Served> {
    const current = await findCurrent(db, id);
    const rollout = await findNewestRollout(db, id);
    const isOpen = rollout !== undefined && openStates.has(rollout.state);
    // Agents that have its version keep it until something newer is published for everybody.
    const isHalfway = rollout?.state === 'stopped' && rollout.to_seconds > (current?.seconds ?? 0);
    const versionIDs = new Set([
      versionID,
      ...(isOpen || isHalfway ? [rollout.from_version_id, rollout.to_version_id] : []),
    ]);
    const configs: string[] = [];
    for (const one of versionIDs)
      if (one !== null) configs.push((await findVersion(db, one))?.raw_config ?? '');
    return { configs, open: isOpen ? rollout : undefined, halfway: isHalfway ? rollout : undefined };
  }

  async #freezeOf(trx: Kysely<Tables>, projectID: string): Promise<Freeze | undefined> {
    const { projects, clock } = this.#options;
    const project = await projects.lock(trx, projectID);
    return project && freezeOf(project, clock());
  }

  /**
   * The same version under a later date. After a rollout that stopped halfway, that would take its version away from the agents that have it: each agent
   * with an id of its own then gets a later date alone, for what it has.
   *
   * @throws Refusal fleet_rollout_open
   */
  async #serveAgain(trx: Kysely<Tables>, fleet: FleetRow, { halfway }: Served): Promise<void> {
    const { id: fleetID, project_id: projectID, name, current_version_id: versionID } = fleet;
    if (halfway !== undefined) {
      if (await hasAnonymousAgents(trx, fleetID)) throw isUnderWay(fleet, halfway);
      return;
    }
    const version = versionID === null ? undefined : await findVersion(trx, versionID);
    if (version === undefined) return;
    const { publications, clock } = this.#options;
    const now = clock();
    const made = await publications.publish(trx, { projectID, fleetID, versionID: version.id, now });
    await publications.makeCurrent(trx, made, now);
    await noteEvent(trx, projectID, {
      type: 'fleet.version_published',
      fleetID,
      name,
      version: version.number,
    });
  }

  async #setVariables(
    trx: Kysely<Tables>,
    principal: Principal,
    { id: fleetID, project_id: projectID }: FleetRow,
    subject: store.Subject,
    { set = [], unset = [], tag, agentID }: UpdateFleetVariables,
  ): Promise<Changed> {
    const { clock, newID } = this.#options;
    if (subject.kind === 'agent' && !(await store.hasAgent(trx, projectID, subject.name))) {
      throw new Refusal('not_found', { detail: `The project of the fleet has no agent ${subject.name}.` });
    }
    const stored = new Map(
      (await store.listVariablesOf(trx, fleetID, subject)).map((row) => [row.name, row]),
    );
    const changed = set.filter(({ name, value }) => stored.get(name)?.value !== value);
    const removed = unset.flatMap((name) => stored.get(name) ?? []);
    const { kind, id: actorID } = actorOf(principal);
    for (const { name, value } of changed) {
      await store.saveVariable(trx, {
        id: newID(),
        project_id: projectID,
        fleet_id: fleetID,
        subject_kind: subject.kind,
        subject: subject.name,
        name,
        value,
        updated_at: clock(),
        updated_by_kind: kind,
        updated_by_id: actorID,
        updated_by_name: nameOf(principal),
      });
    }
    for (const { id } of removed) await store.deleteVariable(trx, id);
    if ((await store.countVariables(trx, fleetID)) > maxFleetVariables)
      throw new Refusal('too_many_fleet_values');
    const left = new Set((await store.listVariableNames(trx, fleetID)).map(({ name }) => name));
    return {
      names: [...new Set([...changed, ...removed].map(({ name }) => name))],
      gone: removed.flatMap(({ name }) => (left.has(name) ? [] : [name])),
      isForAll: subject.kind === 'fleet',
      about: { ...(tag !== undefined && { tag }), ...(agentID !== undefined && { agentID: subject.name }) },
    };
  }

  async #setSecrets(
    trx: Kysely<Tables>,
    principal: Principal,
    { id: fleetID, project_id: projectID }: FleetRow,
    { set = [], unset = [] }: UpdateFleetSecrets,
  ): Promise<Changed> {
    const { clock, newID, box } = this.#options;
    const stored = new Map((await store.listSecrets(trx, fleetID)).map((row) => [row.name, row]));
    const openValue = (name: string) => {
      const row = stored.get(name);
      return row && openSecret(box, row);
    };
    const changed = set.filter(({ name, value }) => openValue(name) !== value);
    const removed = unset.flatMap((name) => stored.get(name) ?? []);
    const now = clock();
    const { kind, id: actorID } = actorOf(principal);
    for (const { id } of [...removed, ...changed.flatMap(({ name }) => stored.get(name) ?? [])])
      await store.endSecret(trx, id, now);
    await store.deleteEarliestSecrets(trx, fleetID, maxEarlierSecrets);
    for (const { name, value } of changed) {
      const id = newID();
      const { sealed, keyID } = box.seal(value, id);
      await store.insertSecret(trx, {
        id,
        project_id: projectID,
        fleet_id: fleetID,
        name,
        sealed,
        key_id: keyID,
        created_at: now,
        created_by_kind: kind,
        created_by_id: actorID,
        created_by_name: nameOf(principal),
        ended_at: null,
      });
    }
    const left = new Set((await store.listSecrets(trx, fleetID)).map(({ name }) => name));
    if (left.size > maxFleetSecrets) throw new Refusal('too_many_fleet_values');
    return {
      names: [...new Set([...changed, ...removed].map(({ name }) => name))],
      gone: removed.flatMap(({ name }) => (left.has(name) ? [] : [name])),
      isForAll: true,
    };
  }
}

/** What agents of a fleet get. */
interface Served {
  readonly configs: readonly string[];
  /** A rollout that is under way. */
  readonly open: RolloutRow | undefined;
  /** One that was stopped and left its version with the agents that had it. */
  readonly halfway: RolloutRow | undefined;
}

/** Values of one fleet that were replaced, and are still removed from what agents report. */
const maxEarlierSecrets = 500;

const openStates: ReadonlySet<string> = new Set(['running', 'waiting', 'paused', 'reverting']);

function isUnderWay({ name }: FleetRow, { id, state, to_number: number }: RolloutRow): Refusal {
  const detail = openStates.has(state)
    ? `A rollout of version ${number} of the fleet '${name}' is ${state}, and its agents would get another content by this. Wait until it has ended, or run: muster rollout stop ${id} --reason TEXT`
    : `A rollout of version ${number} of the fleet '${name}' has stopped, and agents that ask with fleet_id still have that version. Run: muster rollout revert ${id} --reason TEXT`;
  return new Refusal('fleet_rollout_open', { detail });
}

/** @throws Refusal invalid_body */
function requireChange({
  set = [],
  unset = [],
}: {
  readonly set?: readonly { readonly name: string }[];
  readonly unset?: readonly string[];
}): void {
  if (set.length + unset.length === 0)
    throw invalidBody([
      { path: '/set', message: 'or unset must have an element: there is nothing to change' },
    ]);
  const names = [...set.map(({ name }) => name), ...unset];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw invalidBody([
      { path: '/set', message: `has '${twice}' twice, or it is in unset too: name each once` },
    ]);
}
