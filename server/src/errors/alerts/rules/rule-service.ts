import type {
  AlertRuleEvent,
  AlertRuleKind,
  CreateAlertRule,
  ProblemField,
  UpdateAlertRule,
} from '@muster/contract';
import type { Kysely } from 'kysely';
import type { ProjectService } from '../../../fleet/projects/project-service.ts';
import type { Clock, NewID } from '../../../foundation/clock.ts';
import { actorOf, nameOf, type Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { noteEvent } from '../../../foundation/database/note-event.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../../foundation/list-page.ts';
import { invalidBody, Refusal } from '../../../foundation/refusal.ts';
import { type AuditChange, type AuditService, changedValues } from '../../../record/audit/audit-service.ts';
import { listOpenAlertsOfRule } from './alert-state-store.ts';
import { noteChanges } from './note-changes.ts';
import { toRule } from './read-rule.ts';
import type { RuleConditions } from './rule-conditions.ts';
import * as store from './rule-store.ts';

interface RuleServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly projects: Pick<ProjectService, 'requireProject' | 'requireVisible'>;
  readonly audit: Pick<AuditService, 'record'>;
}

const maxRules = 100;
const usualCooldownSeconds = 3_600;

type Condition = keyof RuleConditions;
const conditions: readonly Condition[] = ['agents', 'share', 'windowSeconds', 'days'];

/** The conditions that each kind takes, with their values if they are absent. */
const conditionsOf: Readonly<Record<AlertRuleKind, Partial<RuleConditions>>> = {
  new_group: {},
  regression: {},
  widespread_group: { agents: null, share: null, windowSeconds: 3_600 },
  agents_offline: { agents: null, share: null },
  core_instance_unreachable: {},
  rollout_stopped: {},
  token_expiring: { days: 7 },
  wildcard_token: {},
  member_added: {},
};

const usualNames: Readonly<Record<AlertRuleKind, string>> = {
  new_group: 'New errors',
  regression: 'Errors that are back',
  widespread_group: 'Errors on many agents',
  agents_offline: 'Agents offline',
  core_instance_unreachable: 'Sites unreachable',
  rollout_stopped: 'Rollouts that stopped',
  token_expiring: 'Tokens about to expire',
  wildcard_token: 'Tokens with wildcards',
  member_added: 'New members',
};

/** When people are told. */
export class RuleService {
  readonly #options: RuleServiceOptions;

  constructor(options: RuleServiceOptions) {
    this.#options = options;
  }

  async list(principal: Principal, projectID: string, page: Page): Promise<PageOf<store.RuleRow>> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, projectID);
    return toPage(await store.listRules(database.read, projectID, page), page);
  }

  /** @throws Refusal not_found */
  async find(principal: Principal, id: string): Promise<store.RuleRow> {
    const { database, projects } = this.#options;
    return projects.requireVisible(principal, await store.findRule(database.read, id), () => notFound(id));
  }

  /** A rule as it would be stored. @throws Refusal not_found, invalid_body */
  async draft(principal: Principal, projectID: string, input: CreateAlertRule): Promise<store.RuleRow> {
    const { clock, newID, projects } = this.#options;
    await projects.requireProject(principal, projectID);
    const { kind } = input;
    const found = { ...noConditions, ...conditionsOf[kind], ...givenConditions(input) };
    refuseInvalid(kind, found);
    const channelIDs = await this.#requireChannels(projectID, input.channelIDs ?? null);
    const now = clock();
    const { kind: byKind, id: byID } = actorOf(principal);
    return {
      id: newID(),
      project_id: projectID,
      name: input.name ?? usualNames[kind],
      kind,
      conditions: JSON.stringify(found),
      channel_ids: channelIDs,
      cooldown_seconds: input.cooldownSeconds ?? usualCooldownSeconds,
      is_enabled: input.enabled === false ? 0 : 1,
      created_at: now,
      created_by_kind: byKind,
      created_by_id: byID,
      created_by_name: nameOf(principal),
      updated_at: now,
    };
  }

  /** @throws Refusal not_found, invalid_body, alert_rule_exists, too_many_alert_rules */
  async create(principal: Principal, projectID: string, input: CreateAlertRule): Promise<store.RuleRow> {
    const { database, audit } = this.#options;
    const row = await this.draft(principal, projectID, input);
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alerts of ${projectID}`);
      const others = await store.listAllRules(trx, projectID);
      refuseAlike(row, others);
      if (others.length >= maxRules) {
        throw new Refusal('too_many_alert_rules', {
          detail: `A project has at most ${maxRules} alert rules. Delete one first.`,
        });
      }
      if (others.length === 0) await store.startAtLastEvent(trx, projectID);
      await store.insertRule(trx, row);
      await noteChange(trx, 'alert_rule.created', row);
      await audit.record(trx, principal, { ...changeOf('alert_rule.created', row), after: shownOf(row) });
    });
    return row;
  }

  /** @throws Refusal not_found, invalid_body, alert_rule_exists */
  async update(principal: Principal, id: string, input: UpdateAlertRule): Promise<store.RuleRow> {
    const { database, clock, audit } = this.#options;
    const { project_id: projectID } = await this.find(principal, id);
    const channelIDs =
      input.channelIDs === undefined ? undefined : await this.#requireChannels(projectID, input.channelIDs);
    return database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alerts of ${projectID}`);
      const stored = await store.findRule(trx, id);
      if (stored === undefined) throw notFound(id);
      const kind = stored.kind as AlertRuleKind; // written by the service alone
      const before = JSON.parse(stored.conditions) as RuleConditions; // written by the service alone
      const changed = { ...before, ...givenConditions(input) };
      refuseInvalid(kind, changed);
      const row: store.RuleRow = {
        ...stored,
        name: input.name ?? stored.name,
        conditions: JSON.stringify(changed),
        channel_ids: channelIDs === undefined ? stored.channel_ids : channelIDs,
        cooldown_seconds: input.cooldownSeconds ?? stored.cooldown_seconds,
        is_enabled: input.enabled === undefined ? stored.is_enabled : input.enabled ? 1 : 0,
        updated_at: clock(),
      };
      // Two may have become alike when a channel was deleted; each can still be renamed.
      if (findsAndTells(row) !== findsAndTells(stored))
        refuseAlike(row, await store.listAllRules(trx, projectID));
      await store.updateRule(trx, id, row);
      if (row.is_enabled === 0) await this.#end(trx, stored);
      await noteChange(trx, 'alert_rule.updated', row);
      await audit.record(trx, principal, {
        ...changeOf('alert_rule.updated', row),
        ...changedValues(shownOf(stored), shownOf(row)),
      });
      return row;
    });
  }

  /** @throws Refusal not_found */
  async delete(principal: Principal, id: string): Promise<void> {
    const { database, audit } = this.#options;
    const row = await this.find(principal, id);
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alerts of ${row.project_id}`);
      await this.#end(trx, row);
      await store.deleteRule(trx, id);
      await noteChange(trx, 'alert_rule.deleted', row);
      await audit.record(trx, principal, { ...changeOf('alert_rule.deleted', row), before: shownOf(row) });
    });
  }

  /** What the rule has found is over, so that incidents end. */
  async #end(trx: Kysely<Tables>, row: store.RuleRow): Promise<void> {
    const { clock, newID } = this.#options;
    const open = await listOpenAlertsOfRule(trx, row.id);
    await noteChanges(trx, {
      projectID: row.project_id,
      now: clock(),
      newID,
      rules: [toRule(row)],
      findings: [],
      overIDs: open.map(({ id }) => id),
      untold: [],
    });
  }

  /** JSON of the channels. @throws Refusal not_found */
  async #requireChannels(projectID: string, ids: readonly string[] | null): Promise<string | null> {
    if (ids === null) return null;
    const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
    const known = await store.listChannelIDs(this.#options.database.read, projectID, wanted);
    const missing = wanted.find((id) => !known.includes(id));
    if (missing === undefined) return JSON.stringify(wanted);
    throw new Refusal('not_found', { detail: `There is no alert channel ${missing} in this project.` });
  }
}

const noConditions: RuleConditions = { agents: null, share: null, windowSeconds: null, days: null };

function givenConditions(input: Partial<RuleConditions>): Partial<RuleConditions> {
  return Object.fromEntries(
    conditions.flatMap((one) => (input[one] === undefined ? [] : [[one, input[one]]])),
  );
}

function refuseInvalid(kind: AlertRuleKind, given: RuleConditions): void {
  const taken = conditionsOf[kind];
  const found: ProblemField[] = conditions
    .filter((one) => given[one] !== null && !(one in taken))
    .map((one) => ({ path: `/${one}`, message: `is not used by rules of the kind '${kind}'` }));
  if ('agents' in taken && given.agents === null && given.share === null) {
    found.push({ path: '/agents', message: "is missing; give it or '/share'" });
  }
  if (found.length > 0) throw invalidBody(found);
}

/**
 * Whoever has two rules that find the same and tell the same channels gets each message twice, and ends one of them in vain.
 * @throws Refusal alert_rule_exists
 */
function refuseAlike(row: store.RuleRow, others: readonly store.RuleRow[]): void {
  const same = others.find(
    ({ id, ...other }) => id !== row.id && findsAndTells(other) === findsAndTells(row),
  );
  if (same === undefined) return;
  throw new Refusal('alert_rule_exists', {
    detail: `The rule '${same.name}' (${same.id}) has the same kind, conditions and channels.`,
  });
}

function findsAndTells(row: Pick<store.RuleRow, 'kind' | 'conditions' | 'channel_ids'>): string {
  const channelIDs = row.channel_ids === null ? null : (JSON.parse(row.channel_ids) as string[]); // written by the service alone
  return JSON.stringify([row.kind, row.conditions, channelIDs?.toSorted()]);
}

/** Tells listeners. */
function noteChange(
  trx: Kysely<Tables>,
  type: AlertRuleEvent['type'],
  { id, project_id: projectID, name }: store.RuleRow,
): Promise<void> {
  return noteEvent(trx, projectID, { type, alertRuleID: id, name });
}

/** For the audit log. */
function changeOf(
  action: AuditChange['action'],
  { id, project_id: projectID, name }: store.RuleRow,
): AuditChange {
  return { projectID, action, target: { kind: 'alert_rule', id, name } };
}

/** In the terms of the API. */
function shownOf(row: store.RuleRow) {
  const { agents, share, windowSeconds, days, channelIDs } = toRule(row);
  return {
    name: row.name,
    kind: row.kind,
    ...{ agents, share, windowSeconds, days },
    channelIDs: channelIDs === undefined ? null : [...channelIDs],
    cooldownSeconds: row.cooldown_seconds,
    enabled: row.is_enabled === 1,
  };
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', { detail: `There is no alert rule ${id} that this credential can see.` });
}
