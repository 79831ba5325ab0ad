import { type CoreInstanceItem, maxErrorsPerItem, type ProblemField } from '@muster/contract';
import type { RepeatsOfError, ReportService, SiteReport } from '../../errors/reporting/report-service.ts';
import type { AgentService } from '../../fleet/agents/agent-service.ts';
import type { HeartbeatService } from '../../fleet/agents/liveness/heartbeat-service.ts';
import type { RegistrationService } from '../../fleet/agents/registration-service.ts';
import type { PollsOfSites } from '../../fleet/fleet-roll.ts';
import type { Admission } from '../../foundation/credentials/admission.ts';
import type { CoreInstancePrincipal } from '../../foundation/credentials/principal.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import { digestToken, type TokenDigest } from '../../foundation/secret.ts';
import type { BatchTimes } from './batch-times.ts';
import type { SiteCallers } from './site-callers.ts';
import { isFromSamePlace, siteReportID } from './site-report-id.ts';

export interface ItemRunServices {
  readonly agents: Pick<AgentService, 'update' | 'noteSeen' | 'noteBeat'>;
  readonly fleetAgents: PollsOfSites;
  readonly registrations: Pick<RegistrationService, 'registerOfSite' | 'findOrRegister' | 'findOfMachine'>;
  readonly heartbeats: Pick<HeartbeatService, 'beatOfKnown' | 'beatOfMachine'>;
  readonly reports: Pick<ReportService, 'storeOfSite'>;
}

interface ItemRunOptions extends ItemRunServices {
  readonly instance: CoreInstancePrincipal;
  readonly admission: Admission;
  readonly callers: SiteCallers;
  readonly sequence: number;
  readonly times: BatchTimes;
  /** True if an earlier attempt may have stored some of the reports. */
  readonly isTriedAgain: boolean;
  readonly onRefused: (index: number, refusal: Refusal) => void;
  readonly onAlias: (siteID: string, agentID: string) => Promise<void>;
  /** Stores that the items before the given one are applied, and counts repeats. */
  readonly commit: (appliedItems: number, repeats: readonly RepeatsOfError[]) => Promise<void>;
}

type ItemOf<Kind extends CoreInstanceItem['kind']> = Extract<CoreInstanceItem, { kind: Kind }>;

interface PendingReport extends SiteReport {
  readonly item: number;
  readonly place: number;
  readonly count: number;
  readonly lastAt: number;
}

/**
 * Applies items so that applying them again changes nothing, whichever of them were stored before a crash.
 *
 * The ids of reported errors follow from their places in the batch, and the commit that counts their repeats also notes how many items are applied. All
 * other items have the same effect when they are applied twice in a row. So only the order matters: an item must not be applied again after a later item of
 * the same agent, such as its errors after a change of its configuration. Therefore the items of an agent are committed before its description changes.
 */
export class ItemRun {
  readonly #options: ItemRunOptions;
  readonly #pending: PendingReport[] = [];
  /** Agents and machines with items that are applied and not yet committed. */
  readonly #touched = new Set<string>();
  /** By machine id and token. */
  readonly #machines = new Map<string, string>();
  /** While what came before an item is committed. */
  #isCommitting = false;

  constructor(options: ItemRunOptions) {
    this.#options = options;
  }

  /** @throws Refusal only if nothing can be applied at the moment, such as overloaded, or if what came before could not be committed */
  async apply(index: number, item: CoreInstanceItem): Promise<void> {
    try {
      await this.#apply(index, item);
    } catch (error) {
      // A refused commit is no mistake of this item: what it should have stored would be lost with the answer 200.
      if (this.#isCommitting || !(error instanceof Refusal) || isPassing(error)) throw error;
      this.#options.onRefused(index, error);
    }
  }

  /** Stores the reports that wait, and the number of items that are now applied. */
  async flush(appliedItems: number): Promise<void> {
    const repeats = await this.#storeReports();
    await this.#options.commit(appliedItems, repeats);
    this.#touched.clear();
  }

  async #apply(index: number, item: CoreInstanceItem): Promise<void> {
    switch (item.kind) {
      case 'registration':
        return this.#register(index, item);
      case 'update':
        return this.#update(index, item);
      case 'errors':
        return this.#report(index, item);
      case 'heartbeat':
        return this.#beat(item);
      case 'poll':
        return this.#notePoll(item);
    }
  }

  async #register(index: number, item: ItemOf<'registration'>): Promise<void> {
    const { callers, instance, registrations, onAlias } = this.#options;
    const at = this.#options.times.of(item.at);
    const token = callers.requireToken(item.tokenID, at, ['create:agent']);
    const siteID = item.agentID.toLowerCase();
    const machine = machineKey(item.agent.machineID);
    // The id may be new to the agent, of which there are items under another one.
    const known =
      this.#touched.size > 0 && (await registrations.findOfMachine(instance.projectID, item.agent.machineID));
    await this.#commitBefore(index, callers.idOf(siteID), machine, ...(known ? [known] : []));
    const identity = {
      agentID: siteID,
      // Of this form, by the schema.
      tokenDigest: item.tokenDigest as TokenDigest,
      proof: item.agentToken === undefined ? undefined : digestToken(item.agentToken),
      aliasOf: callers.aliasOf(siteID),
    };
    const { id } = await registrations.registerOfSite(token, item.agent, identity, this.#passage(at));
    if (id !== siteID) await onAlias(siteID, id);
    callers.noteRegistered(siteID, id);
    for (const key of [id, machine]) this.#touched.add(key);
  }

  async #update(index: number, item: ItemOf<'update'>): Promise<void> {
    const { callers, agents } = this.#options;
    const agentID = callers.idOf(item.agentID);
    const at = this.#options.times.of(item.at);
    const caller = callers.require(item.by, agentID, at, 'update:agent');
    await this.#commitBefore(index, agentID);
    await agents.update(caller, agentID, item.agent, this.#passage(at));
    this.#touched.add(agentID);
  }

  async #report(index: number, item: ItemOf<'errors'>): Promise<void> {
    const { instance, sequence, times } = this.#options;
    const { projectID, coreInstanceID } = instance;
    const newest = Math.max(...item.errors.map(({ lastAt }) => times.of(lastAt)));
    const agentID = await this.#reporterOf(item, newest);
    for (const [place, { error, firstAt, lastAt, count }] of item.errors.entries()) {
      const name = `${coreInstanceID} ${sequence} ${index} ${place}`;
      const createdAt = times.ofReport(Math.min(firstAt, lastAt));
      this.#pending.push({
        id: siteReportID(name, createdAt, index * maxErrorsPerItem + place),
        agentID,
        projectID,
        error,
        item: index,
        place,
        count,
        lastAt: times.of(lastAt),
      });
    }
    this.#touched.add(agentID);
  }

  async #reporterOf({ by, agentID, machineID, name }: ItemOf<'errors'>, at: number): Promise<string> {
    const { callers } = this.#options;
    if (agentID !== undefined) {
      const id = callers.idOf(agentID);
      callers.require(by, id, at, 'create:agent_error');
      return id;
    }
    const token = callers.requireToken(tokenOf(by), at, ['create:agent_error', 'create:agent']);
    const machine = requireMachine(machineID);
    const key = `${token.tokenID} ${machine}`;
    const id =
      this.#machines.get(key) ??
      (await this.#options.registrations.findOrRegister(token, machine, name ?? machine, this.#passage(at)));
    this.#machines.set(key, id);
    this.#touched.add(machineKey(machine));
    return id;
  }

  async #beat({
    by,
    agentID,
    machineID,
    name,
    heartbeat = {},
    at: told,
  }: ItemOf<'heartbeat'>): Promise<void> {
    const { callers, heartbeats } = this.#options;
    const at = this.#options.times.of(told);
    if (agentID !== undefined) {
      const id = callers.idOf(agentID);
      callers.require(by, id, at, 'update:agent');
      await heartbeats.beatOfKnown(id, heartbeat, this.#passage(at));
      return;
    }
    const token = callers.requireToken(tokenOf(by), at, ['create:agent']);
    const machine = requireMachine(machineID);
    await heartbeats.beatOfMachine(token, machine, name ?? machine, heartbeat, this.#passage(at));
  }

  async #notePoll(item: ItemOf<'poll'>): Promise<void> {
    const { by, handle, offeredAt, downloaded, isConfirmed } = item;
    const { callers, fleetAgents, instance, agents, times } = this.#options;
    const at = times.of(item.at);
    callers.requireToken(tokenOf(by, 'handle'), at, ['read:fleet']);
    const agentID = await fleetAgents.notePollOfSite(instance.projectID, handle.toLowerCase(), {
      at,
      shift: item.shift ?? 0,
      offered: item.offered,
      offeredAt: offeredAt === undefined ? undefined : times.of(offeredAt),
      downloaded,
      isConfirmed,
    });
    if (agentID !== undefined) agents.noteBeat(agentID, this.#passage(at));
  }

  async #commitBefore(index: number, ...keys: readonly string[]): Promise<void> {
    if (!keys.some((key) => this.#touched.has(key))) return;
    this.#isCommitting = true;
    await this.flush(index);
    this.#isCommitting = false;
  }

  /** Returns the repeats to count. */
  async #storeReports(): Promise<RepeatsOfError[]> {
    const { admission, reports, agents, isTriedAgain, onRefused } = this.#options;
    const waiting = this.#pending.splice(0);
    if (waiting.length === 0) return [];
    const outcomes = await reports.storeOfSite(admission, waiting, isTriedAgain);
    const repeats = new Map<string, RepeatsOfError>();
    const refused = new Map<number, { readonly first: Refusal; readonly fields: ProblemField[] }>();
    for (const [index, outcome] of outcomes.entries()) {
      const report = waiting[index];
      if (report === undefined) continue;
      const { agentID, item, place, count, lastAt } = report;
      if (!(outcome instanceof Refusal && codesWithoutAgent.has(outcome.code)))
        agents.noteSeen(agentID, this.#passage(lastAt));
      if (outcome instanceof Refusal) {
        const ofItem = refused.get(item) ?? { first: outcome, fields: [] };
        ofItem.fields.push({ path: `/errors/${place}`, message: `is refused: ${outcome.code}` });
        refused.set(item, ofItem);
        continue;
      }
      const { id } = outcome;
      const own = isFromSamePlace(id, report.id) ? 1 : 0;
      const known = repeats.get(id);
      repeats.set(id, {
        agentID,
        id,
        count: (known?.count ?? 0) + count - own,
        lastSeenAt: Math.max(known?.lastSeenAt ?? 0, lastAt),
      });
    }
    for (const [item, { first, fields }] of refused)
      onRefused(item, new Refusal(first.code, { detail: first.detail, fields }));
    return [...repeats.values()]
      .filter(({ count }) => count > 0)
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  #passage(at: number) {
    return { coreInstanceID: this.#options.instance.coreInstanceID, at };
  }
}

/** Whoever speaks by machine id sends a project token. */
function tokenOf(by: ItemOf<'errors'>['by'], name = 'machineID'): string {
  if ('tokenID' in by) return by.tokenID;
  throw invalidBody([{ path: '/by', message: `must be a project token if the agent is named by ${name}` }]);
}

function requireMachine(machineID: string | undefined): string {
  if (machineID !== undefined) return machineID;
  throw invalidBody([{ path: '', message: 'must have agentID or machineID' }]);
}

function machineKey(machineID: string): string {
  return `machine ${machineID}`;
}

/** There is no such agent. Any other report is a sign of life, also one beyond a limit. */
const codesWithoutAgent: ReadonlySet<string> = new Set(['not_found', 'agent_deleted']);

/** Refusals of the moment: the batch is sent again. */
const passingCodes: ReadonlySet<string> = new Set([
  'overloaded',
  'database_unavailable',
  'shutting_down',
  'project_moving',
]);

function isPassing({ code }: Refusal): boolean {
  return passingCodes.has(code);
}
