import { hash } from 'node:crypto';
import { formatToken, type RegisterAgent, type UpdateAgent } from '@muster/contract';
import { takeReports } from '@muster/http/limits/report-rate';
import { Refusal, type UntoldRefusal } from '@muster/http/refusal';
import { redactErrorTexts } from '@muster/http/reports/error-text';
import type { AcceptedReport } from '@muster/http/reports/report-body';
import type { Polls } from '../fleets/polls.ts';
import type { SiteLimits } from '../limits/site-limits.ts';
import type { Spool } from '../spool/spool.ts';
import { SpoolError } from '../spool/spool-error.ts';
import type { ReportTarget, SentBy, SpooledItem } from '../spool/spooled-item.ts';
import type { SiteAgents } from '../state/site-agents.ts';
import type { EndedAgents } from '../verdicts/ended-agents.ts';
import type { Sender, Verdicts } from '../verdicts/verdicts.ts';
import { RecalledErrors } from './recalled-errors.ts';
import type { RegistrationProofs } from './registration-proofs.ts';
import type { SignsOfLife } from './signs-of-life.ts';

interface IntakeOptions {
  readonly spool: Pick<Spool, 'append'>;
  readonly agents: SiteAgents;
  readonly signs: SignsOfLife;
  readonly proofs: RegistrationProofs;
  readonly polls: Pick<Polls, 'confirm' | 'isUnregistered'>;
  readonly verdicts: Pick<Verdicts, 'agentOf'>;
  readonly limits: Pick<SiteLimits, 'isRegisteredOnce' | 'takeNewError'>;
  readonly ended: Pick<EndedAgents, 'forget' | 'isDeleted' | 'requireNotEnded'>;
  readonly clock: () => number;
  /** Never steps back. */
  readonly monotonic: () => number;
  readonly newID: () => string;
  readonly randomBytes: (size: number) => Uint8Array;
}

interface Registration {
  readonly id: string;
  readonly token: string;
  readonly name: string;
  readonly createdAt: number;
}

/** Takes what agents send, and resolves when it is kept. Nothing here waits for the centre. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #recalled = new RecalledErrors();
  /** Registrations of one machine take turns, so that it gets one id. */
  readonly #registering = new Map<string, Promise<unknown>>();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /**
   * As at the centre, those of an array that no limit refuses are kept, and count as repeats when they are sent again.
   *
   * @throws Refusal not_found, agent_deleted, overloaded, or the limit that was reached (as a rejection)
   */
  async report(sender: Sender, target: ReportTarget, texts: readonly string[]): Promise<AcceptedReport[]> {
    this.#requirePart(sender, target);
    const { clock, newID, monotonic, limits, polls } = this.#options;
    if ('machineID' in target && polls.isUnregistered(target.machineID)) {
      throw new Refusal('overloaded', {
        detail: 'The agent has not registered yet. Send the report again in some seconds.',
      });
    }
    if (sender.kind === 'project' && sender.rates.length > 0) {
      takeReports(sender.rates, texts.length, monotonic());
    }
    const at = clock();
    const agent = this.#agentOf(target);
    const admitted: { readonly text: string; readonly key: string }[] = [];
    let refusal: UntoldRefusal | undefined;
    for (const text of redactErrorTexts(texts)) {
      const key = this.#recalled.keyOf(agent, text);
      const refused = this.#recalled.has(key) ? undefined : limits.takeNewError(agent, text);
      if (refused === undefined) admitted.push({ text, key });
      refusal ??= refused;
    }
    if (admitted.length > 0) {
      const by = sentBy(sender);
      await this.#keep(
        admitted.map(({ text }) => ({
          kind: 'error',
          by,
          target,
          error: text,
          firstAt: at,
          lastAt: at,
          count: 1,
        })),
      );
    }
    const accepted = admitted.map(({ key }): AcceptedReport => {
      const { isNew, ...error } = this.#recalled.recall(key, () => ({ id: newID(), createdAt: at }));
      return { kind: isNew ? 'created' : 'ignored', ...error };
    });
    if (refusal !== undefined) throw refusal;
    return accepted;
  }

  /**
   * Gives an agent an id and a token of its own. A machine that registered here before keeps its id. Where a machine is registered once, only its own
   * token shows that it is the same: until the centre has judged, whoever else names it speaks for another id, which becomes one of the agent if that is right.
   *
   * @param proof the token of its own that the agent sent
   * @throws Refusal overloaded (as a rejection)
   */
  async register(tokenID: string, agent: RegisterAgent, proof: string | undefined): Promise<Registration> {
    const { machineID } = agent;
    const before = this.#registering.get(machineID) ?? Promise.resolve();
    const registration = before.then(() => this.#register(tokenID, agent, proof));
    const settled = registration.catch(() => undefined);
    this.#registering.set(machineID, settled);
    try {
      return await registration;
    } finally {
      if (this.#registering.get(machineID) === settled) this.#registering.delete(machineID);
    }
  }

  /** @throws Refusal not_found, agent_deleted, overloaded (as a rejection) */
  async update(sender: Sender, agentID: string, agent: UpdateAgent): Promise<void> {
    this.#requirePart(sender, { agentID });
    await this.#keep([{ kind: 'update', at: this.#options.clock(), agentID, by: sentBy(sender), agent }]);
    this.#recalled.noteConfig(this.#agentOf({ agentID }), agent.rawConfig);
    this.#noteFleet(agent, true);
  }

  /** A sign of life is kept in memory; the end of an agent on the disk. @throws Refusal not_found, agent_deleted, overloaded (as a rejection) */
  async beat(
    sender: Sender,
    target: ReportTarget,
    heartbeat: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    this.#requirePart(sender, target);
    const sign = { at: this.#options.clock(), by: sentBy(sender), target, heartbeat };
    if (heartbeat.status === 'stopped') await this.#keep([{ kind: 'end', ...sign }]);
    else this.#options.signs.note(sign);
  }

  async #register(tokenID: string, agent: RegisterAgent, proof: string | undefined): Promise<Registration> {
    const { agents, ended, limits, proofs, clock, newID, randomBytes } = this.#options;
    const at = clock();
    const earlier = agents.agentOfMachine(agent.machineID);
    // The centre makes a new agent of a machine whose agent was deleted.
    const known = earlier === undefined || ended.isDeleted(earlier) ? undefined : earlier;
    const isSame = known !== undefined && (!limits.isRegisteredOnce || this.#isOf(known, proof));
    const id = isSame ? known : newID();
    const token = formatToken('agent', randomBytes(32));
    const tokenDigest = hash('sha256', token);
    if (proof !== undefined) proofs.note(tokenDigest, proof);
    await this.#keep([{ kind: 'registration', at, agentID: id, tokenDigest, tokenID, agent }]);
    const isProven = known === undefined || isSame;
    await explainFailures(agents.register(id, isProven ? agent.machineID : undefined, tokenDigest));
    ended.forget(id);
    this.#recalled.noteConfig(this.#agentOf({ agentID: id }), agent.rawConfig);
    this.#noteFleet(agent, isProven);
    return { id, token, name: agent.name, createdAt: at };
  }

  /** It names the id with which it asks for its configuration, and runs the one that it has got. Called when that is kept, so that it is sent first. */
  #noteFleet({ fleetID, rawConfig }: Pick<UpdateAgent, 'fleetID' | 'rawConfig'>, isProven: boolean): void {
    if (typeof fleetID === 'string' && typeof rawConfig === 'string')
      this.#options.polls.confirm(fleetID.toLowerCase(), isProven);
  }

  #isOf(agentID: string, token: string | undefined): boolean {
    const { agents, verdicts } = this.#options;
    const owner = token === undefined ? undefined : verdicts.agentOf(token);
    return owner !== undefined && agents.canonicalID(owner) === agents.canonicalID(agentID);
  }

  /** Equal for all names of an agent that are known here. */
  #agentOf(target: ReportTarget): string {
    const { agents } = this.#options;
    if ('agentID' in target) return agents.canonicalID(target.agentID);
    const id = agents.agentOfMachine(target.machineID);
    return id === undefined ? `machine ${target.machineID}` : agents.canonicalID(id);
  }

  /** The token of an agent speaks for that agent alone, under each of its ids. */
  #requirePart(sender: Sender, target: ReportTarget): void {
    if (!('agentID' in target)) return;
    const { agents, ended } = this.#options;
    ended.requireNotEnded(target.agentID);
    if (sender.kind === 'project') return;
    if (agents.canonicalID(sender.agentID) === agents.canonicalID(target.agentID)) return;
    throw new Refusal('not_found', {
      detail: `There is no agent ${target.agentID} that this credential can see.`,
    });
  }

  async #keep(items: readonly SpooledItem[]): Promise<void> {
    await explainFailures(this.#options.spool.append(items));
  }
}

export function sentBy(sender: Sender): SentBy {
  return sender.kind === 'project' ? { tokenID: sender.tokenID } : { agentID: sender.agentID };
}

const explanations: Readonly<Record<SpoolError['kind'], string>> = {
  full: 'The spool of this core instance is full, because Muster could not be reached for long. Nothing was stored. Send the request again later.',
  agent_full:
    'Too many registrations and updates of this agent wait at this core instance until Muster takes them. Nothing was stored. Send the request again later.',
  busy: 'More arrives than the disk of this core instance takes. Nothing was stored. Send the request again.',
  write_failed:
    'This core instance cannot write to its disk: it may be full. Nothing was stored. Send the request again later; its log says what is wrong.',
  closed: 'This core instance is stopping. Nothing was stored. Send the request again.',
};

const retryAfterSeconds: Readonly<Record<SpoolError['kind'], number>> = {
  full: 60,
  agent_full: 60,
  busy: 1,
  write_failed: 5,
  closed: 1,
};

async function explainFailures(kept: Promise<void>): Promise<void> {
  try {
    await kept;
  } catch (cause) {
    const kind = cause instanceof SpoolError ? cause.kind : 'write_failed';
    throw new Refusal(kind === 'closed' ? 'shutting_down' : 'overloaded', {
      detail: explanations[kind],
      retryAfterSeconds: retryAfterSeconds[kind],
      cause,
    });
  }
}
