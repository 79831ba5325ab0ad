import {
  type AlertChannelEvent,
  type AlertChannelKind,
  alertChannelNeeds,
  type CreateAlertChannel,
  type ProblemField,
  type QuietHours,
  type UpdateAlertChannel,
} from '@muster/contract';
import type { Kysely, Updateable } from 'kysely';
import type { ProjectService } from '../../../fleet/projects/project-service.ts';
import type { Clock, NewID } from '../../../foundation/clock.ts';
import { actorOf, nameOf, type Principal } from '../../../foundation/credentials/principal.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { noteEvent } from '../../../foundation/database/note-event.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../../foundation/list-page.ts';
import { invalidBody, Refusal } from '../../../foundation/refusal.ts';
import { type RandomBytes, Secret } from '../../../foundation/secret.ts';
import type { SecretBox } from '../../../foundation/secret-box.ts';
import { isTimeZone } from '../../../foundation/wall-clock.ts';
import { type AuditChange, type AuditService, changedValues } from '../../../record/audit/audit-service.ts';
import type { DeliveryRow } from '../outbox/delivery-store.ts';
import { giveUpWaiting } from '../outbox/delivery-store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { removeChannelFromRules } from '../rules/rule-store.ts';
import { RefusedTarget } from '../sending/allowed-hosts.ts';
import type { Poster } from '../sending/post.ts';
import type { ChannelSecrets, SigningSecret } from './channel-secrets.ts';
import * as store from './channel-store.ts';
import { opsgenieUrl } from './kinds/opsgenie.ts';
import { pagerDutyUrl } from './kinds/pagerduty.ts';
import { openSecrets } from './open-channel.ts';

interface ChannelServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly randomBytes: RandomBytes;
  readonly projects: Pick<ProjectService, 'requireProject' | 'requireVisible'>;
  readonly audit: Pick<AuditService, 'record'>;
  readonly box: SecretBox;
  readonly poster: Pick<Poster, 'checkUrl'>;
  readonly outbox: Pick<Outbox, 'test'>;
  /** False: MUSTER_SMTP_URL is not set. */
  readonly canMail: boolean;
}

export interface CreatedChannel {
  readonly row: store.ChannelRow;
  /** Of a webhook. */
  readonly secret: Secret | undefined;
}

const maxChannels = 100;
const usualGraceSeconds = 86_400;
const testPauseMilliseconds = 5_000;
const signingSecretBytes = 32;

/** On-call services have an address of their own, which another one may replace. */
const usualUrls: Partial<Record<AlertChannelKind, string>> = {
  pagerduty: pagerDutyUrl,
  opsgenie: opsgenieUrl,
};

type Field = 'url' | 'key' | 'recipients';
const fields: readonly Field[] = ['url', 'key', 'recipients'];

type Input = Pick<CreateAlertChannel, Field | 'quietHours'>;

/** Where alerts of a project are sent. */
export class ChannelService {
  readonly #options: ChannelServiceOptions;

  constructor(options: ChannelServiceOptions) {
    this.#options = options;
  }

  async list(principal: Principal, projectID: string, page: Page): Promise<PageOf<store.ChannelRow>> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, projectID);
    return toPage(await store.listChannels(database.read, projectID, page), page);
  }

  /** @throws Refusal not_found */
  async find(principal: Principal, id: string): Promise<store.ChannelRow> {
    const { database, projects } = this.#options;
    return projects.requireVisible(principal, await store.findChannel(database.read, id), () => notFound(id));
  }

  /** @throws Refusal not_found, invalid_body, secret_key_missing, mail_not_set_up, too_many_alert_channels */
  async create(principal: Principal, projectID: string, input: CreateAlertChannel): Promise<CreatedChannel> {
    const { database, clock, newID, projects, audit, canMail } = this.#options;
    await projects.requireProject(principal, projectID);
    const { kind } = input;
    refuseMissingFields(kind, input);
    this.#refuseInvalid(kind, input);
    if (kind === 'mail' && !canMail) throw new Refusal('mail_not_set_up');
    const secret = kind === 'webhook' ? this.#newSigningSecret() : undefined;
    const id = newID();
    const now = clock();
    const { kind: byKind, id: byID } = actorOf(principal);
    const secrets = secretsOf(input, secret === undefined ? undefined : [current(secret)]);
    const row: store.ChannelRow = {
      id,
      project_id: projectID,
      name: input.name,
      kind,
      target: targetOf(kind, input),
      recipients: input.recipients === undefined ? null : JSON.stringify(input.recipients),
      ...(hasSecrets(kind) ? this.#seal(secrets, id) : { sealed: null, key_id: null }),
      quiet_hours: quietHoursText(input.quietHours ?? null),
      created_at: now,
      created_by_kind: byKind,
      created_by_id: byID,
      created_by_name: nameOf(principal),
      updated_at: now,
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
      last_failure: null,
      last_delivered_at: null,
      told_at: 0,
      tested_at: 0,
    };
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alert channels of ${projectID}`);
      if ((await store.countChannels(trx, projectID)) >= maxChannels) {
        throw new Refusal('too_many_alert_channels', {
          detail: `A project has at most ${maxChannels} alert channels. Delete one first.`,
        });
      }
      await store.insertChannel(trx, row);
      await noteChange(trx, 'alert_channel.created', row);
      await audit.record(trx, principal, { ...changeOf('alert_channel.created', row), after: shownOf(row) });
    });
    return { row, secret };
  }

  /** @throws Refusal not_found, invalid_body, secret_key_missing */
  async update(principal: Principal, id: string, input: UpdateAlertChannel): Promise<store.ChannelRow> {
    const { database, clock, audit } = this.#options;
    const row = await this.find(principal, id);
    const kind = row.kind as AlertChannelKind; // written by the service alone
    this.#refuseInvalid(kind, input);
    refuseKeptKey(kind, input);
    const now = clock();
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alert channel ${id}`);
      const stored = await store.findChannel(trx, id);
      if (stored === undefined) throw notFound(id);
      const change: Updateable<Tables['alert_channels']> = {
        updated_at: now,
        ...(input.name !== undefined && { name: input.name }),
        ...(input.quietHours !== undefined && { quiet_hours: quietHoursText(input.quietHours) }),
        ...(input.recipients !== undefined && { recipients: JSON.stringify(input.recipients) }),
        ...(fields.some((field) => input[field] !== undefined) && {
          ...this.#changeSecrets(stored, input),
          failing_since: null,
          last_failure: null,
        }),
        ...(input.enabled === true && {
          disabled_at: null,
          disabled_reason: null,
          failing_since: null,
          last_failure: null,
        }),
        ...(input.enabled === false && { disabled_at: now, disabled_reason: 'Somebody disabled it.' }),
      };
      await store.updateChannel(trx, id, change);
      if (input.enabled === false) {
        await giveUpWaiting(trx, id, { at: now, failure: 'The channel was disabled.' });
      }
      const isSecretChanged = input.url !== undefined || input.key !== undefined;
      const changed = (await store.findChannel(trx, id)) ?? stored;
      const { before, after } = changedValues(shownOf(stored), shownOf(changed));
      await noteChange(trx, 'alert_channel.updated', changed);
      await audit.record(trx, principal, {
        ...changeOf('alert_channel.updated', stored),
        before,
        after: { ...after, ...(isSecretChanged && { isSecretChanged }) },
      });
    });
    return this.find(principal, id);
  }

  /** @throws Refusal not_found */
  async delete(principal: Principal, id: string): Promise<void> {
    const { database, audit } = this.#options;
    const row = await this.find(principal, id);
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alerts of ${row.project_id}`);
      await database.takeLock(trx, `alert channel ${id}`);
      await store.deleteChannel(trx, id);
      await removeChannelFromRules(trx, row.project_id, id);
      await noteChange(trx, 'alert_channel.deleted', row);
      await audit.record(trx, principal, { ...changeOf('alert_channel.deleted', row), before: shownOf(row) });
    });
  }

  /** @throws Refusal not_found, alert_channel_has_no_secret, secret_key_missing */
  async rotate(
    principal: Principal,
    id: string,
    graceSeconds = usualGraceSeconds,
  ): Promise<{ readonly secret: Secret; readonly endsAt: number }> {
    const { database, clock, audit } = this.#options;
    const { kind } = await this.find(principal, id);
    if (kind !== 'webhook') throw new Refusal('alert_channel_has_no_secret');
    const secret = this.#newSigningSecret();
    const now = clock();
    const endsAt = now + graceSeconds * 1_000;
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alert channel ${id}`);
      const stored = await store.findChannel(trx, id);
      if (stored === undefined) throw notFound(id);
      const secrets = this.#open(stored);
      const earlier = (secrets.signing ?? [])
        // At most one earlier secret: the one that receivers have now.
        .filter((one) => one.endsAt === null && endsAt > now)
        .map(({ value }): SigningSecret => ({ value, endsAt }));
      const sealed = this.#seal({ ...secrets, signing: [current(secret), ...earlier] }, id);
      await store.updateChannel(trx, id, { ...sealed, updated_at: now });
      await noteChange(trx, 'alert_channel.updated', stored);
      await audit.record(trx, principal, {
        ...changeOf('alert_channel.updated', stored),
        after: { isSecretChanged: true, graceSeconds },
      });
    });
    return { secret, endsAt };
  }

  /** @throws Refusal not_found, too_many_alert_tests */
  async test(principal: Principal, id: string): Promise<DeliveryRow> {
    const { database, clock, outbox } = this.#options;
    const row = await this.find(principal, id);
    const now = clock();
    if (!(await store.takeTest(database.write, id, { now, since: now - testPauseMilliseconds }))) {
      throw new Refusal('too_many_alert_tests', { retryAfterSeconds: testPauseMilliseconds / 1_000 });
    }
    return outbox.test(row);
  }

  #changeSecrets(stored: store.ChannelRow, input: Input): Updateable<Tables['alert_channels']> {
    const kind = stored.kind as AlertChannelKind; // written by the service alone
    if (!hasSecrets(kind)) return { target: targetOf(kind, input) };
    // A new address replaces one that can no longer be read. Whatever it does not replace is then lost.
    const needed = alertChannelNeeds[kind];
    const replacesAll = needed !== null && input[needed] !== undefined && kind !== 'webhook';
    const known = replacesAll ? (openSecrets(this.#options.box, stored) ?? {}) : this.#open(stored);
    const secrets = { ...known, ...secretsOf(input) };
    return { ...this.#seal(secrets, stored.id), target: targetOf(kind, secrets) };
  }

  #open(stored: store.ChannelRow): ChannelSecrets {
    const secrets = openSecrets(this.#options.box, stored);
    if (secrets !== undefined) return secrets;
    throw new Refusal('secret_key_missing', {
      detail:
        'The secrets of this channel are stored with another MUSTER_SECRET_KEY than this replica has. Set that key again, or delete the channel and create it anew.',
    });
  }

  #seal(secrets: ChannelSecrets, id: string): { readonly sealed: string; readonly key_id: string } {
    const { box } = this.#options;
    if (!box.canSeal) throw new Refusal('secret_key_missing');
    const { sealed, keyID } = box.seal(JSON.stringify(secrets), id);
    return { sealed, key_id: keyID };
  }

  #newSigningSecret(): Secret {
    const bytes = this.#options.randomBytes(signingSecretBytes);
    return new Secret(`whsec_${Buffer.from(bytes).toString('base64')}`);
  }

  #refuseInvalid(kind: AlertChannelKind, input: Input): void {
    const found: ProblemField[] = fields
      .filter((field) => input[field] !== undefined && !takes(kind, field))
      .map((field) => ({ path: `/${field}`, message: `is not used by channels of the kind '${kind}'` }));
    if (found.length === 0 && input.url !== undefined) {
      const why = this.#whyRefused(input.url);
      if (why !== undefined) found.push({ path: '/url', message: `is refused: ${why}` });
    }
    if (input.key !== undefined && !/^[\x21-\x7e]+$/.test(input.key)) {
      found.push({ path: '/key', message: 'must be printable ASCII without spaces' });
    }
    for (const [index, recipient] of (input.recipients ?? []).entries()) {
      if (isMailAddress(recipient)) continue;
      found.push({
        path: `/recipients/${index}`,
        message: 'must be a mail address such as on-call@example.com',
      });
    }
    const zone = input.quietHours?.timeZone;
    if (zone !== undefined && !isTimeZone(zone)) {
      found.push({
        path: '/quietHours/timeZone',
        message: 'is not in the IANA time zone database; write a name such as Europe/Berlin',
      });
    }
    if (found.length > 0) throw invalidBody(found);
  }

  #whyRefused(url: string): string | undefined {
    try {
      this.#options.poster.checkUrl(url);
      return undefined;
    } catch (error) {
      if (error instanceof RefusedTarget) return error.message.replace(/\.$/, '');
      throw error;
    }
  }
}

/** Tells listeners. */
function noteChange(
  trx: Kysely<Tables>,
  type: AlertChannelEvent['type'],
  { id, project_id: projectID, name }: Pick<store.ChannelRow, 'id' | 'project_id' | 'name'>,
): Promise<void> {
  return noteEvent(trx, projectID, { type, alertChannelID: id, name });
}

/** For the audit log. */
function changeOf(
  action: AuditChange['action'],
  { id, project_id: projectID, name }: Pick<store.ChannelRow, 'id' | 'project_id' | 'name'>,
): AuditChange {
  return { projectID, action, target: { kind: 'alert_channel', id, name } };
}

/** What the audit log shows of a channel: never its secrets. */
function shownOf(row: Pick<store.ChannelRow, 'name' | 'kind' | 'target' | 'quiet_hours' | 'disabled_at'>) {
  return {
    name: row.name,
    kind: row.kind,
    target: row.target,
    quietHours: row.quiet_hours,
    enabled: row.disabled_at === null,
  };
}

function refuseMissingFields(kind: AlertChannelKind, input: Input): void {
  const needed = alertChannelNeeds[kind];
  if (needed !== null && input[needed] === undefined)
    throw invalidBody([{ path: `/${needed}`, message: 'is missing' }]);
}

/** The stored key goes only to the address with which it was set. Otherwise, whoever may change the address could send it to a host of their own. */
function refuseKeptKey(kind: AlertChannelKind, { url, key }: Input): void {
  if (alertChannelNeeds[kind] !== 'key' || url === undefined || key !== undefined) return;
  throw invalidBody([
    {
      path: '/key',
      message: 'is needed with another url, because the stored key is not sent to it: send the key too',
    },
  ]);
}

function hasSecrets(kind: AlertChannelKind): boolean {
  return kind !== 'mail' && kind !== 'dashboard';
}

function takes(kind: AlertChannelKind, field: Field): boolean {
  return field === alertChannelNeeds[kind] || (field === 'url' && usualUrls[kind] !== undefined);
}

/** Simple on purpose: no comments, no quoted parts, nothing that could end a header. */
function isMailAddress(text: string): boolean {
  return /^[^\s@<>(),;:"\\[\]]+@[^\s@<>(),;:"\\[\]]+$/u.test(text) && !/\p{C}/u.test(text);
}

function secretsOf({ url, key }: Input, signing?: readonly SigningSecret[]): ChannelSecrets {
  return {
    ...(url !== undefined && { url }),
    ...(key !== undefined && { key }),
    ...(signing !== undefined && { signing }),
  };
}

function current(secret: Secret): SigningSecret {
  return { value: secret.reveal(), endsAt: null };
}

/** What may be shown: the host alone, because paths and queries of these addresses are secrets. */
function targetOf(kind: AlertChannelKind, { url, recipients }: Pick<Input, 'url' | 'recipients'>): string {
  if (recipients !== undefined) return recipients.join(', ');
  if (kind === 'dashboard') return 'Muster';
  return new URL(url ?? usualUrls[kind] ?? '').host;
}

function quietHoursText(quietHours: QuietHours | null): string | null {
  return quietHours === null ? null : JSON.stringify(quietHours);
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', {
    detail: `There is no alert channel ${id} that this credential can see.`,
  });
}
