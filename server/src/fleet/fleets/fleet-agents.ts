import { fleetNumberOf, isHandleOf } from '@muster/http/fleets/fleet-handle';
import { zoneStepSeconds } from '@muster/http/fleets/meant-seconds';
import type { Kysely } from 'kysely';
import type { Clock } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { isDatabaseFailure } from '../../foundation/database/database-failures.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';
import { WriteBehind } from '../../foundation/write-behind.ts';
import { structureOf } from '../config-structure.ts';
import type {
  DescribedSeat,
  FleetRoll,
  FleetSeat,
  PollOfSite,
  PollsOfSites,
  SeatedAgent,
} from '../fleet-roll.ts';
import { fleetNotFound } from './fleet-access.ts';
import { stateOf } from './fleet-agent-state.ts';
import * as store from './fleet-agent-store.ts';
import { findFleet, findFleetByNumber, lockFleet } from './fleet-store.ts';
import { type KnownAgent, KnownAgents, type OpenQuestion, type WrittenValues } from './known-agents.ts';
import { leaveStages } from './rollouts/leave-stages.ts';
import { runsNow } from './runs-now.ts';
import { nextShift, shiftTo } from './shift-agents.ts';
import type { AgentValues } from './values/fleet-values.ts';
import { findAgentWithVariables } from './values/value-store.ts';
import type { Publication } from './version-choice.ts';

interface FleetAgentsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** A version is applied 5 seconds after it was offered. */
const intervalMilliseconds = 1_000;
/** Another replica may have seen that an agent has registered. */
const rereadMilliseconds = 60_000;

/** Which agent asks with which id, and what it was offered, has downloaded and runs. */
export class FleetAgents implements FleetRoll, PollsOfSites {
  readonly #options: FleetAgentsOptions;
  /** By handle. */
  readonly #known = new KnownAgents();
  readonly #polls: WriteBehind<store.SeenPoll>;

  constructor(options: FleetAgentsOptions) {
    this.#options = options;
    this.#polls = new WriteBehind({
      merge: (earlier, later) => {
        // A site tells of a poll late: the agent has asked the service itself since.
        if (later.ofSite !== undefined && earlier.ofSite === undefined && later.at < earlier.at)
          return earlier;
        return earlier.offered === later.offered && earlier.shift === later.shift
          ? { ...later, offeredAt: later.offeredAt ?? earlier.offeredAt }
          : later;
      },
      write: async (portion) => {
        const written = await store.writePolls(options.database, portion, options.clock());
        // It was decided there whether the agent runs what it has. What was not written was about an agent that somebody has changed.
        for (const [handle, { offered, downloaded, ofSite }] of portion)
          if (downloaded === offered || ofSite !== undefined || !written.has(handle))
            this.#known.delete(handle);
      },
      onFailure: options.onFailure,
      isOutage: isDatabaseFailure,
      intervalMilliseconds,
    });
  }

  async read(projectID: string, sent: string): Promise<FleetSeat> {
    const { read } = this.#options.database;
    if (fleetNumberOf(sent) === undefined) {
      if (!isID(sent)) return { fleetID: sent, handle: null, isKnown: false };
      const fleet = await findFleet(read, sent.toLowerCase());
      return fleet?.project_id === projectID
        ? { fleetID: fleet.id, handle: null, isKnown: true }
        : { fleetID: sent, handle: null, isKnown: false };
    }
    const known = await this.find(projectID, sent);
    return known === undefined
      ? { fleetID: sent, handle: null, isKnown: false }
      : { fleetID: known.fleetID, handle: sent, isKnown: true };
  }

  async note(trx: Kysely<Tables>, agent: SeatedAgent, seat: FleetSeat): Promise<void> {
    const { id: agentID, projectID, rawConfig, isNewConfig, now } = agent;
    if (!seat.isKnown) return;
    const stored = agent.isNew ? undefined : await store.findByAgent(trx, projectID, agentID);
    const kept = await this.#place(trx, agent, seat, stored);
    const confirmed =
      rawConfig === undefined
        ? {}
        : {
            confirmed_at: now,
            structure: structureOf(rawConfig),
            ...(seat.handle === null && isNewConfig && (await runsNow(trx, agent, seat, stored))),
          };
    await store.saveFleetAgent(trx, { ...kept, ...confirmed });
    if (kept.fleet_id !== seat.fleetID) await store.setFleet(trx, [agentID], kept.fleet_id);
  }

  /** Where the agent is from now on: where it says, or where somebody has moved it. */
  async #place(
    trx: Kysely<Tables>,
    agent: SeatedAgent,
    seat: FleetSeat,
    stored: store.FleetAgentRow | undefined,
  ): Promise<store.FleetAgentRow> {
    const { handle } = seat;
    if (stored?.handle === handle && (handle !== null || stored.fleet_id === seat.fleetID)) return stored;
    if (handle === null) return beginning(agent, seat, undefined);
    // A copy of another agent goes on with what that one has.
    const holder = await store.findByHandle(trx, handle);
    if (holder !== undefined) return { ...holder, agent_id: agent.id, confirmed_at: null };
    if (stored?.home_fleet_id === seat.fleetID) {
      // It has lost its files, and has got what its own fleet serves until now.
      const place = { ...stored, handle, fleet_id: seat.fleetID, shift_seconds: 0 };
      const [moved = place] = await shiftTo(trx, stored.fleet_id, [place]);
      return moved;
    }
    return beginning(agent, seat, this.#known.get(handle));
  }

  /** Call it when the transaction of `note` was committed. */
  noted({ handle }: FleetSeat, agentID: string): void {
    if (handle === null) return;
    const known = this.#known.get(handle);
    if (known === undefined) return;
    if (known.agentID !== agentID) {
      this.#known.delete(handle);
      return;
    }
    // What polls have shown may not be stored yet, so that it is not read anew.
    const open = { kind: 'mayRun', readAt: this.#options.clock() } as const;
    this.#known.set(handle, { ...known, open, written: undefined });
  }

  async noteDescription(projectID: string, agentID: string): Promise<void> {
    const seat = await store.findByAgent(this.#options.database.read, projectID, agentID);
    if (seat === undefined || seat.handle === null) return;
    const known = this.#known.get(seat.handle);
    // Another object, so that a poll that has read the description before cannot write it there.
    if (known !== undefined) this.#known.set(seat.handle, { ...known, written: undefined });
  }

  /** Refuses what a person says of the fleet of an agent that gets its configuration from another one. @throws Refusal invalid_body */
  async requireStay(projectID: string, agentID: string, fleetID: string): Promise<void> {
    const seat = await store.findByAgent(this.#options.database.read, projectID, agentID);
    if (seat === undefined || seat.handle === null || seat.fleet_id === fleetID.toLowerCase()) return;
    const message = `the agent gets its configuration from the fleet ${seat.fleet_id}: move it with POST /v1/fleets/{fleetID}/agents`;
    throw invalidBody([{ path: '/fleetID', message }]);
  }

  async lockFleets(trx: Kysely<Tables>, projectID: string, agentIDs: readonly string[]): Promise<void> {
    const { engine } = this.#options.database;
    const fleetIDs = await store.listFleetIDs({ engine, read: trx }, projectID, agentIDs);
    for (const id of fleetIDs.sort()) await lockFleet(trx, engine, id);
  }

  async removeAgents(trx: Kysely<Tables>, projectID: string, agentIDs: readonly string[]): Promise<void> {
    const { engine } = this.#options.database;
    const seats = await store.lockSeats(trx, engine, projectID, agentIDs);
    if (seats.length === 0) return;
    await leaveStages(trx, engine, seats);
    await store.deleteSeats(trx, engine, projectID, agentIDs);
  }

  async findAgent(
    projectID: string,
    id: string,
  ): Promise<{ readonly agentID: string | undefined } | undefined> {
    return fleetNumberOf(id) === undefined ? undefined : this.find(projectID, id);
  }

  async describe(
    projectID: string,
    agentIDs: readonly string[],
  ): Promise<ReadonlyMap<string, DescribedSeat>> {
    if (agentIDs.length === 0) return new Map();
    await this.flush();
    const rows = await store.listFleetAgents(this.#options.database, projectID, agentIDs);
    return new Map(
      rows.map((row) => [
        row.agent_id,
        {
          fleetID: row.fleet_id,
          name: row.fleet_name,
          versionID: row.version_id,
          versionNumber: row.version_number,
          isOther: row.is_other === 1,
          stateAt: (last_seen_at) => stateOf({ ...row, last_seen_at }),
        },
      ]),
    );
  }

  /** The agent with a handle, if that is known without a look-up. On a shared database, somebody else may have registered it since. */
  recall(handle: string): KnownAgent | undefined {
    const known = this.#known.get(handle);
    const mayHaveRegistered = known?.agentID === undefined && this.#options.database.engine === 'postgres';
    return mayHaveRegistered ? undefined : known;
  }

  /** The agent with a handle; undefined if this service did not make it for a fleet of the project that exists. */
  async find(projectID: string, handle: string): Promise<KnownAgent | undefined> {
    const { read } = this.#options.database;
    await this.#polls.flushKeys([handle]);
    const row = await store.findByHandle(read, handle);
    if (row !== undefined) {
      if (row.project_id !== projectID) return undefined;
      const known = {
        projectID,
        agentID: row.agent_id,
        fleetID: row.fleet_id,
        shift: row.shift_seconds,
        offered: row.offered_seconds ?? undefined,
        offeredAt: row.offered_at ?? undefined,
        downloaded: row.downloaded_seconds ?? undefined,
        valuesDigest: row.values_digest ?? undefined,
        hasRun: row.structure !== null,
        written: undefined,
        open: openQuestionOf(row, this.#options.clock()),
      };
      this.#known.set(handle, known);
      return known;
    }
    const before = this.#known.get(handle);
    if (before !== undefined && before.agentID === undefined) return before;
    const number = fleetNumberOf(handle);
    const fleet = number === undefined ? undefined : await findFleetByNumber(read, number);
    if (fleet === undefined || fleet.project_id !== projectID) return undefined;
    if (!isHandleOf({ number: fleet.number, handleKey: fleet.handle_key }, handle)) return undefined;
    const known = {
      projectID,
      agentID: undefined,
      fleetID: fleet.id,
      shift: 0,
      offered: undefined,
      offeredAt: undefined,
      downloaded: undefined,
      valuesDigest: undefined,
      hasRun: false,
      written: undefined,
      open: undefined,
    };
    this.#known.set(handle, known);
    return known;
  }

  /** What the variables of its own stand for; undefined if it was deleted. */
  async findValues(known: KnownAgent): Promise<AgentValues | undefined> {
    const { agentID, fleetID } = known;
    const row =
      agentID === undefined
        ? undefined
        : await findAgentWithVariables(this.#options.database.read, fleetID, agentID);
    return (
      row && {
        name: row.name,
        machineID: row.machine_id,
        tags: JSON.parse(row.tags) as string[], // written by the service alone
        vars: new Map(row.vars.map(({ name, value }) => [name, value])),
      }
    );
  }

  /** True if what was written for an agent may no longer be right: another replica may have seen that it has another name. */
  isStale({ at }: WrittenValues): boolean {
    return this.#options.database.engine === 'postgres' && this.#options.clock() - at >= rereadMilliseconds;
  }

  /**
   * Gives an agent the same publication with other values, under a later date. Durable before the agent gets that date, so that no other content ever
   * has it.
   *
   * @throws Refusal overloaded
   */
  async renew(
    handle: string,
    known: KnownAgent,
    { publication, recent, digest }: { publication: Publication; recent: readonly number[]; digest: string },
  ): Promise<KnownAgent> {
    const { database, clock } = this.#options;
    const { shift, offered = publication.seconds, downloaded = offered } = known;
    const next = nextShift({
      shift,
      latest: Math.max(offered, downloaded),
      says: [offered, downloaded],
      first: publication.seconds,
      taken: new Set(recent.map((seconds) => seconds % zoneStepSeconds)),
    });
    const now = clock();
    const renewal = { offered: publication.seconds, at: now, digest, shift: { before: shift, after: next } };
    await this.flush();
    if (!(await store.renewValues(database.write, handle, renewal))) {
      this.#known.delete(handle);
      throw new Refusal('overloaded', {
        detail: 'Somebody else has changed the agent. Ask again in some seconds.',
      });
    }
    const renewed: KnownAgent = {
      ...known,
      shift: next,
      offered: publication.seconds,
      offeredAt: now,
      downloaded: undefined,
      valuesDigest: digest,
      open: { kind: 'waits', readAt: now },
    };
    this.#known.set(handle, renewed);
    return renewed;
  }

  /** Notes what a poll has shown. Nothing is written if it is the same as before. */
  notePoll(
    handle: string,
    known: KnownAgent,
    {
      offered,
      downloaded,
      digest,
    }: { offered: number; downloaded: number | undefined; digest: string | undefined },
  ): void {
    const at = this.#options.clock();
    const isSame =
      known.offered === offered && known.downloaded === downloaded && known.valuesDigest === digest;
    if (isSame && downloaded === offered && known.open?.kind !== 'mayRun') {
      if (known.open !== undefined && at - known.open.readAt >= rereadMilliseconds)
        this.#known.delete(handle);
      return;
    }
    known.offered = offered;
    known.downloaded = downloaded;
    known.valuesDigest = digest;
    const hasIt = downloaded === offered;
    if (!hasIt) known.offeredAt = at;
    if (known.agentID === undefined) return;
    this.#polls.add(handle, {
      at,
      shift: known.shift,
      offered,
      ...(!hasIt && { offeredAt: at }),
      downloaded: downloaded ?? null,
      valuesDigest: digest ?? null,
    });
  }

  /** Nothing is written if it is the same as before. */
  async notePollOfSite(
    projectID: string,
    handle: string,
    { isConfirmed, ...poll }: PollOfSite,
  ): Promise<string | undefined> {
    const known = this.recall(handle) ?? (await this.find(projectID, handle));
    if (known?.projectID !== projectID) throw fleetNotFound(handle);
    const { at, offered, offeredAt, downloaded } = poll;
    const hasIt = downloaded === offered;
    const isSame =
      known.shift === poll.shift &&
      known.offered === offered &&
      known.downloaded === (downloaded ?? undefined);
    if (known.agentID === undefined) {
      known.offered = offered;
      known.downloaded = downloaded ?? undefined;
      known.offeredAt = hasIt ? offeredAt : at;
    } else if (!isSame || !hasIt || known.open !== undefined) {
      this.#polls.add(handle, {
        ...poll,
        offeredAt: hasIt ? offeredAt : at,
        valuesDigest: null,
        ofSite: { isConfirmed },
      });
    }
    return known.agentID;
  }

  /** Resolves when everything that polls have shown is stored. */
  async flush(): Promise<void> {
    await this.#polls.flush();
  }

  /** Called when somebody has changed the place of the agent. */
  forget(handle: string): void {
    this.#known.delete(handle);
  }

  forgetAll(): void {
    this.#known.clear();
  }

  async close(): Promise<void> {
    await this.#polls.close();
  }
}

function openQuestionOf(
  { offered_seconds, offered_at, confirmed_at, applied_seconds }: store.FleetAgentRow,
  readAt: number,
): OpenQuestion | undefined {
  if (applied_seconds === offered_seconds && applied_seconds !== null) return undefined;
  return { kind: (confirmed_at ?? 0) > (offered_at ?? 0) ? 'mayRun' : 'waits', readAt };
}

function beginning(
  { id, projectID }: SeatedAgent,
  { fleetID, handle }: FleetSeat,
  asked: KnownAgent | undefined,
): store.FleetAgentRow {
  return {
    project_id: projectID,
    agent_id: id,
    fleet_id: fleetID,
    handle,
    home_fleet_id: null,
    shift_seconds: 0,
    offered_seconds: asked?.offered ?? null,
    offered_at: asked?.offeredAt ?? null,
    downloaded_seconds: asked?.downloaded ?? null,
    downloaded_at: asked?.downloaded === undefined ? null : (asked.offeredAt ?? null),
    confirmed_at: null,
    applied_seconds: null,
    structure: null,
    values_digest: asked?.valuesDigest ?? null,
  };
}

function isID(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
