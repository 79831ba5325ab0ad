import type { QuietHours } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../../foundation/clock.ts';
import type { Database } from '../../../foundation/database/database.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import { type ChannelRow, updateChannel } from '../channels/channel-store.ts';
import { isOnCall } from '../channels/open-channel.ts';
import type { AlertEntry, AlertMessage } from '../messages/alert-message.ts';
import { cut, plainLine } from '../messages/plain-text.ts';
import { insertDelivery } from './delivery-store.ts';
import {
  assignIncident,
  assignNotes,
  closeIncident,
  dropNotes,
  listChannelsToTell,
  listEndedIncidents,
  listWaitingNotes,
  mayBeTold,
  readNotes,
} from './note-store.ts';
import { messageOf, planNotes } from './plan-message.ts';
import { findProjectName } from './project-name-store.ts';
import { isQuiet } from './quiet-hours.ts';
import { maxRetryMilliseconds } from './retry-schedule.ts';

interface MessageWriterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
}

/** A channel gets at most one message in this time. */
export const messagePauseMilliseconds = 60_000;
const maxNotes = 50_000;
const maxTitleLength = 300;

/**
 * Turns what a channel has to be told into a message. While a message waits to be delivered, everything new waits for the next one, so that a channel
 * that is out of reach gets one digest afterwards, and not a flood.
 */
export class MessageWriter {
  readonly #options: MessageWriterOptions;

  constructor(options: MessageWriterOptions) {
    this.#options = options;
  }

  async writeDue(): Promise<void> {
    const { database, clock } = this.#options;
    const now = clock();
    for (const channel of await listChannelsToTell(database.read, timesAt(now))) {
      if (channel.quiet_hours !== null && isQuiet(JSON.parse(channel.quiet_hours) as QuietHours, now))
        continue; // written by the service alone
      await this.#write(channel, now);
    }
  }

  async #write(channel: ChannelRow, now: number): Promise<void> {
    const { database } = this.#options;
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `alert channel ${channel.id}`);
      // Another replica may have written a message since.
      if (!(await mayBeTold(trx, channel.id, timesAt(now)))) return;
      const plan = planNotes(await listWaitingNotes(trx, channel.id, maxNotes), {
        isOnCall: isOnCall(channel.kind),
      });
      const project = {
        id: channel.project_id,
        name: await findProjectName(trx, channel.project_id),
      };
      if (plan.told.length > 0) {
        const notes = await readNotes(
          trx,
          plan.shown.map(({ id }) => id),
        );
        const contents = new Map(notes.map(({ id, content }) => [id, content]));
        const entries = plan.shown.map(({ id }) => JSON.parse(contents.get(id) ?? '') as AlertEntry); // written by the service alone
        const message = messageOf(plan, entries, project);
        await this.#insert(trx, channel, now, message, plan);
      }
      if (isOnCall(channel.kind)) await this.#endIncidents(trx, channel, now, plan.overAlertIDs, project);
      await dropNotes(trx, channel.id, plan.through);
    });
  }

  async #insert(
    trx: Kysely<Tables>,
    channel: ChannelRow,
    now: number,
    message: AlertMessage,
    { told, through }: ReturnType<typeof planNotes>,
  ): Promise<void> {
    const deliveryID = this.#options.newID();
    // A moment, such as that a rollout stopped, has no end that could end an incident: each is a new incident, which a person ends.
    const lasting = isOnCall(channel.kind) ? told.filter(({ kind }) => kind === 'open') : [];
    const [first] = lasting;
    if (first === undefined) {
      await insertDelivery(trx, deliveryRow(deliveryID, channel, now, message));
    } else {
      const incidentKey = told.length === 1 ? first.alert_id : deliveryID;
      await insertDelivery(trx, deliveryRow(deliveryID, channel, now, { ...message, incidentKey }));
      await assignIncident(
        trx,
        lasting.map(({ id }) => id),
        { incidentKey, deliveryID },
      );
    }
    await assignNotes(trx, channel.id, { through, deliveryID });
    await updateChannel(trx, channel.id, { told_at: now });
  }

  async #endIncidents(
    trx: Kysely<Tables>,
    channel: ChannelRow,
    now: number,
    alertIDs: readonly string[],
    project: AlertMessage['project'],
  ): Promise<void> {
    for (const incidentKey of await listEndedIncidents(trx, channel.id, alertIDs)) {
      const message: AlertMessage = {
        kind: 'over',
        project,
        title: 'Over: every alert of this incident',
        entries: [],
        more: 0,
        incidentKey,
        isResolved: true,
      };
      await insertDelivery(trx, deliveryRow(this.#options.newID(), channel, now, message));
      await closeIncident(trx, channel.id, incidentKey);
    }
  }
}

function timesAt(now: number) {
  return { now, toldBefore: now - messagePauseMilliseconds };
}

export function deliveryRow(
  id: string,
  channel: Pick<ChannelRow, 'id' | 'project_id'>,
  now: number,
  message: AlertMessage,
) {
  return {
    id,
    project_id: channel.project_id,
    channel_id: channel.id,
    kind: message.kind,
    title: cut(plainLine(message.title), maxTitleLength),
    message: JSON.stringify(message),
    state: 'waiting',
    created_at: now,
    give_up_at: now + maxRetryMilliseconds,
    next_attempt_at: now,
  };
}
