import { fleetNumberOf } from '@muster/http/fleets/fleet-handle';
import { hasPartIn, type Principal } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { fleetNotFound } from './fleet-access.ts';
import type { FleetAgents, KnownAgent } from './fleet-agents.ts';
import type { WantedForm } from './render-config.ts';
import type { ServedFleet, ServedFleets } from './served-fleets.ts';
import type { AskingAgent, Publication } from './version-choice.ts';

interface ConfigPollOptions {
  readonly served: ServedFleets;
  readonly agents: FleetAgents;
  /** Called for each request of an agent that is known. */
  readonly onAgent: (agentID: string) => void;
}

/** What an agent, or a person, asks for. */
export interface Asked {
  /** Of a fleet, or the one with which an agent asks alone. */
  readonly id: string;
  /** Its header `Fleet-Config-Version`. Undefined: it is no agent. */
  readonly said: string | undefined;
}

/** What is served. */
export interface Chosen {
  readonly publication: Publication;
  readonly fleet: ServedFleet;
  /** Its date for this agent. */
  readonly seconds: number;
  /** What the agent says that it has, if that is known here. */
  readonly has: Publication | undefined;
}

export interface Answered extends Chosen {
  /** Texts are ASCII. */
  readonly parts: readonly (Buffer | string)[];
  /** In GMT, as agents parse it. */
  readonly lastModified: string;
}

/** Where the caller reaches this service, and the format that it wants. */
interface AskedForm extends WantedForm {
  readonly origin: string;
}

interface Asking extends Asked {
  readonly fleet: ServedFleet;
  /** Undefined: all agents of the fleet ask with the same id. */
  readonly known: KnownAgent | undefined;
}

/** Answers agents that ask for their configuration, from memory if possible. */
export class ConfigPoll {
  readonly #options: ConfigPollOptions;

  constructor(options: ConfigPollOptions) {
    this.#options = options;
  }

  /**
   * The configuration; undefined if something must be looked up first.
   *
   * @throws Refusal not_found
   */
  recall(principal: Principal, asked: Asked, form: AskedForm): Answered | undefined {
    const { served, agents } = this.#options;
    const isHandle = fleetNumberOf(asked.id) !== undefined;
    const known = isHandle ? agents.recall(asked.id) : undefined;
    if (isHandle && known === undefined) return undefined;
    const fleet = served.recall(known?.fleetID ?? asked.id);
    if (fleet === undefined) return undefined;
    if (!hasPartIn(principal, fleet.projectID)) throw fleetNotFound(asked.id);
    const asking = { ...asked, fleet, known };
    if (mayGive(asking)) return undefined;
    const chosen = this.#choose(asking, 'config');
    const config = served.recallConfig(chosen.publication.versionID, formOf(fleet, form));
    if (config === undefined) return undefined;
    this.#note(asking, chosen);
    return { ...chosen, parts: config.partsFor(known && asked.id), lastModified: dateOf(chosen) };
  }

  /** The same after look-ups. @throws Refusal not_found */
  async answer(principal: Principal, asked: Asked, form: AskedForm): Promise<Answered> {
    const asking = await this.#find(principal, asked);
    const usual = this.#choose(asking, 'config');
    const given = mayGive(asking) ? await asking.fleet.choice.give?.() : undefined;
    const chosen = given === undefined ? usual : { ...usual, publication: given, seconds: given.seconds };
    const wanted = formOf(asking.fleet, form);
    const { served } = this.#options;
    const { versionID } = chosen.publication;
    const config = served.recallConfig(versionID, wanted) ?? (await served.findConfig(versionID, wanted));
    this.#note(asking, chosen);
    return { ...chosen, parts: config.partsFor(asking.known && asked.id), lastModified: dateOf(chosen) };
  }

  /** The JSON of the files beside the configuration that the agent gets. @throws Refusal not_found */
  async answerFiles(principal: Principal, asked: Asked): Promise<string> {
    const asking = await this.#find(principal, asked);
    const { publication } = this.#choose(asking, 'files');
    return this.#options.served.findFiles(publication.versionID);
  }

  async #find(principal: Principal, asked: Asked): Promise<Asking> {
    const { served, agents } = this.#options;
    const { id } = asked;
    const isHandle = fleetNumberOf(id) !== undefined;
    const projectID = principal.kind === 'access' ? undefined : principal.projectID;
    const known =
      isHandle && projectID !== undefined
        ? (agents.recall(id) ?? (await agents.find(projectID, id)))
        : undefined;
    if (isHandle && known === undefined) throw fleetNotFound(id);
    const fleetID = known?.fleetID ?? id;
    const fleet = served.recall(fleetID) ?? (await served.find(fleetID));
    if (fleet === undefined || !hasPartIn(principal, fleet.projectID)) throw fleetNotFound(id);
    return { ...asked, fleet, known };
  }

  #choose(asking: Asking, asksFor: 'config' | 'files'): Chosen {
    const { said, fleet, known } = asking;
    const { current } = fleet;
    if (current === undefined) {
      throw new Refusal('not_found', {
        detail: `The fleet ${fleet.id} has no configuration yet. Give it one: muster fleet update ${fleet.id} --config FILE`,
      });
    }
    if (said === undefined) return { publication: current, seconds: current.seconds, fleet, has: undefined };
    // The files that belong to what it got last, also if it would get something else now.
    const offered =
      asksFor === 'files' && known?.offered !== undefined ? fleet.clock.find(known.offered) : undefined;
    const agent = askingAgent({ said, fleet, known }, current, asksFor);
    const publication = offered ?? fleet.choice.choose(agent);
    return { publication, seconds: publication.seconds + (known?.shift ?? 0), fleet, has: agent.has };
  }

  #note({ id, said, known }: Asking, { publication, has }: Chosen): void {
    if (said === undefined || known === undefined) return;
    const { agents, onAgent } = this.#options;
    agents.notePoll(id, known, publication.seconds, has?.seconds);
    if (known.agentID !== undefined) onAgent(known.agentID);
  }
}

/** An agent asks for its configuration, and nobody can tell it from others of its fleet. */
function mayGive({ said, fleet, known }: Omit<Asking, 'id'>): boolean {
  const { current, choice } = fleet;
  if (said === undefined || known !== undefined || current === undefined) return false;
  return choice.mayGive?.(askingAgent({ said, fleet, known }, current, 'config')) ?? false;
}

function askingAgent(
  { said, fleet, known }: Omit<Asking, 'id'>,
  current: Publication,
  asksFor: 'config' | 'files',
): AskingAgent {
  return {
    projectID: fleet.projectID,
    fleetID: fleet.id,
    agentID: known?.agentID,
    isAnonymous: known === undefined,
    asksFor,
    has: findDownloaded({ fleet, known }, Number(said)),
    current,
  };
}

/** An agent that was moved may still have something of another fleet, with a date that means something else here. */
function findDownloaded(
  { fleet, known }: Pick<Asking, 'fleet' | 'known'>,
  said: number,
): Publication | undefined {
  if (known === undefined) return fleet.clock.find(said);
  const found = fleet.clock.find(said - known.shift);
  return found?.fleetID === fleet.id ? found : undefined;
}

function formOf({ hasReporting }: ServedFleet, { format, origin }: AskedForm): WantedForm {
  return { format, origin: hasReporting ? origin : undefined };
}

function dateOf({ seconds }: Chosen): string {
  return new Date(seconds * 1_000).toUTCString();
}
