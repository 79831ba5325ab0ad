import type { Clock, MonotonicClock, NewID } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { deleteInPortions } from '../../../foundation/database/delete-in-portions.ts';
import type { SecretBox } from '../../../foundation/secret-box.ts';
import type { AuditService } from '../../../record/audit/audit-service.ts';
import { withoutSecrets } from '../channels/channel-secrets.ts';
import { type ChannelRow, findChannel, updateChannel } from '../channels/channel-store.ts';
import { type Attempt, attemptToSend, openSecrets, outgoingOf } from '../channels/open-channel.ts';
import type { AlertMessage } from '../messages/alert-message.ts';
import { cut, plainText } from '../messages/plain-text.ts';
import type { MailSender } from '../sending/mail-sender.ts';
import type { Poster } from '../sending/post.ts';
import {
  type DeliveryRow,
  deleteEndedDeliveries,
  findDelivery,
  giveUpWaiting,
  insertDelivery,
  leaseDelivery,
  listDueDeliveries,
  updateDelivery,
} from './delivery-store.ts';
import { deliveryRow, MessageWriter } from './message-writer.ts';
import { deleteOfDeletedProjects, deleteToldNotes } from './note-store.ts';
import { findProjectName } from './project-name-store.ts';
import { leaseMilliseconds, maxFailingMilliseconds, nextAttempt } from './retry-schedule.ts';

interface OutboxOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  readonly newID: NewID;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly box: SecretBox;
  readonly poster: Pick<Poster, 'post'>;
  readonly mailSender: Pick<MailSender, 'send'> | undefined;
  /** The address of the service for links. Undefined: it is not known. */
  readonly findUrl: () => string | undefined;
  /** For how many days the log of messages is kept. */
  readonly days: number;
  readonly audit: Pick<AuditService, 'record'>;
  /** Told of a channel that the service has disabled. */
  readonly onDisabled: (channel: ChannelRow) => void;
}

/** At most this many channels get a message at the same time. */
const maxConcurrent = 20;
const maxAnswerLength = 1_024;
const dayMilliseconds = 86_400_000;
const disabledReason = 'The service disabled it: every attempt had failed for 5 days.';

/**
 * Sends what waits in the database, with at most one replica at a time for each message. A message counts as sent only when its success is
 * stored, so after a kill it may be sent again, with the same id.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #writer: MessageWriter;
  readonly #closed: Promise<undefined>;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#writer = new MessageWriter(options);
    this.#closed = new Promise((resolve) => {
      options.closing.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }

  /** Writes the messages that are due, and sends those that wait. */
  async run(): Promise<void> {
    await this.#writer.writeDue();
    const { database, clock, closing, box } = this.#options;
    while (!closing.aborted) {
      const now = clock();
      const keyIDs = box.keyIDs;
      const due = await listDueDeliveries(database.read, { now, keyIDs, limit: maxConcurrent });
      if (due.length === 0) return;
      await Promise.all(due.map((delivery) => this.#send(delivery)));
    }
  }

  /** Sends a message of its own to a channel, once, and returns what became of it. */
  async test(channel: ChannelRow): Promise<DeliveryRow> {
    const { database, clock, newID } = this.#options;
    const message: AlertMessage = {
      kind: 'test',
      project: {
        id: channel.project_id,
        name: await findProjectName(database.read, channel.project_id),
      },
      title: `This is a test of the channel '${channel.name}'. Nothing happened`,
      entries: [],
      more: 0,
    };
    const now = clock();
    const id = newID();
    // In no queue: it has ended unless the attempt says otherwise.
    await insertDelivery(database.write, {
      ...deliveryRow(id, channel, now, message),
      state: 'failed',
      next_attempt_at: null,
      ended_at: now,
      attempts: 1,
      last_attempt_at: now,
      failure: 'The service stopped while it sent the message.',
    });
    const sent = await this.#attempt(channel, message, id);
    if (sent !== undefined) {
      const { attempt } = sent;
      // Who tests a channel wants to know of each recipient.
      const state = attempt.failure === undefined ? stateOf(attempt) : 'failed';
      await updateDelivery(database.write, id, { ...sent.log, state, ended_at: clock() });
      if (state === 'delivered') await this.#noteSuccess(channel.id);
    }
    const row = await findDelivery(database.read, id);
    if (row === undefined) throw new Error('the channel was deleted while it was tested');
    return row;
  }

  /** Removes messages and notes that nobody needs any more, and everything of deleted projects. */
  async purge(): Promise<void> {
    const { database, clock, closing, days } = this.#options;
    const before = clock() - days * dayMilliseconds;
    const { write } = database;
    await deleteInPortions(closing, (limit) => deleteEndedDeliveries(write, before, limit));
    await deleteInPortions(closing, (limit) => deleteToldNotes(write, before, limit));
    await deleteInPortions(closing, (limit) => deleteOfDeletedProjects(write, limit));
  }

  async #send(delivery: DeliveryRow): Promise<void> {
    const { database, clock } = this.#options;
    const now = clock();
    const lease = { now, until: now + leaseMilliseconds };
    if (!(await leaseDelivery(database.write, delivery.id, lease))) return;
    const channel = await findChannel(database.read, delivery.channel_id);
    if (channel === undefined) return;
    const message = JSON.parse(delivery.message) as AlertMessage; // written by the service alone
    const sent = await this.#attempt(channel, message, delivery.id);
    // The service closes. Another replica, or the next start, sends it.
    if (sent === undefined) {
      await updateDelivery(database.write, delivery.id, { lease_until: 0 });
      return;
    }
    const { attempt, log } = sent;
    const at = clock();
    const attempts = delivery.attempts + 1;
    const next = attempt.isDelivered
      ? undefined
      : nextAttempt({ attempts, now: at, giveUpAt: delivery.give_up_at }, attempt);
    const end = next === undefined ? { state: stateOf(attempt), ended_at: at } : {};
    await updateDelivery(database.write, delivery.id, {
      ...log,
      ...end,
      next_attempt_at: next ?? null,
      lease_until: 0,
    });
    if (attempt.isDelivered && attempt.failure === undefined) await this.#noteSuccess(channel.id);
    else await this.#noteFailure(channel, attempt, at);
  }

  /** Undefined: the service closed meanwhile. */
  async #attempt(channel: ChannelRow, message: AlertMessage, id: string) {
    const { box, clock, monotonic, findUrl } = this.#options;
    const secrets = openSecrets(box, channel);
    const startedAt = monotonic();
    const attempt: Attempt | undefined =
      secrets === undefined
        ? {
            isDelivered: false,
            failure:
              'The address of the channel is stored with another MUSTER_SECRET_KEY. Set that key again, or set the address again.',
          }
        : await Promise.race([
            attemptToSend(
              outgoingOf(channel, secrets, message, { id, sentAt: clock(), publicUrl: findUrl() }),
              channel.project_id,
              this.#options,
            ),
            this.#closed,
          ]);
    if (attempt === undefined) return undefined;
    const safe = (text: string | undefined) =>
      text === undefined ? null : cut(plainText(withoutSecrets(text, secrets ?? {})), maxAnswerLength);
    const failure = safe(attempt.failure);
    return {
      attempt: { ...attempt, failure: failure ?? undefined },
      log: {
        answer_status: attempt.status ?? null,
        answer: safe(attempt.answer),
        failure,
        milliseconds: Math.round(monotonic() - startedAt),
      },
    };
  }

  async #noteSuccess(channelID: string): Promise<void> {
    const { database, clock } = this.#options;
    await updateChannel(database.write, channelID, {
      failing_since: null,
      last_failure: null,
      last_delivered_at: clock(),
    });
  }

  /** A channel that still reaches somebody is failing, and not disabled for it. */
  async #noteFailure(channel: ChannelRow, { failure = '', isDelivered }: Attempt, at: number): Promise<void> {
    const { database, audit, onDisabled } = this.#options;
    const failingSince = channel.failing_since ?? at;
    const reachedNobodySince = Math.max(failingSince, channel.last_delivered_at ?? 0);
    const isDisabled =
      !isDelivered && at - reachedNobodySince >= maxFailingMilliseconds && channel.disabled_at === null;
    const isNoted = await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alert channel ${channel.id}`);
      // Who changed it meanwhile may have repaired it.
      if ((await findChannel(trx, channel.id))?.updated_at !== channel.updated_at) return false;
      await updateChannel(trx, channel.id, {
        failing_since: failingSince,
        last_failure: failure,
        ...(isDelivered && { last_delivered_at: at }),
        ...(isDisabled && { disabled_at: at, disabled_reason: disabledReason }),
      });
      if (!isDisabled) return true;
      await giveUpWaiting(trx, channel.id, { at, failure });
      const actor = { kind: 'system', name: null } as const;
      await audit.record(trx, actor, {
        projectID: channel.project_id,
        action: 'alert_channel.updated',
        target: { kind: 'alert_channel', id: channel.id, name: channel.name },
        before: { enabled: true },
        after: { enabled: false, reason: disabledReason },
      });
      return true;
    });
    if (isNoted && isDisabled) onDisabled(channel);
  }
}

function stateOf({ isDelivered }: Attempt): 'delivered' | 'failed' {
  return isDelivered ? 'delivered' : 'failed';
}
