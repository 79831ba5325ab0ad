import { hash } from 'node:crypto';
import type { Variable } from '@muster/fleet-config';
import { fleetNumberOf } from '@muster/http/fleets/fleet-handle';
import type { Clock } from '../../foundation/clock.ts';
import { hasPartIn, type Principal, requireGrant } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { TwoGenerations } from '../../foundation/two-generations.ts';
import { fleetNotFound } from './fleet-access.ts';
import type { FleetAgents } from './fleet-agents.ts';
import type { KnownAgent } from './known-agents.ts';
import { renderConfig, type WantedForm } from './render-config.ts';
import { ServedConfig, type ServedFleet, type ServedFleets } from './served-fleets.ts';
import { type AgentValues, isOfAgent, valueOfVariable } from './values/fleet-values.ts';
import type { AskingAgent, Publication } from './version-choice.ts';

interface ConfigPollOptions {
  readonly served: ServedFleets;
  readonly agents: FleetAgents;
  readonly clock: Clock;
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

const maxDates = 2_000;

/** Answers agents that ask for their configuration, from memory if possible. */
export class ConfigPoll {
  readonly #options: ConfigPollOptions;
  /** Those of the publications that agents have. */
  readonly #dates = new TwoGenerations<number, string>(maxDates);

  constructor(options: ConfigPollOptions) {
    this.#options = options;
  }

  /**
   * The configuration; undefined if something must be looked up first.
   *
   * @throws Refusal not_found, permission_denied, fleet_config_incomplete
   */
  recall(principal: Principal, asked: Asked, form: AskedForm): Answered | undefined {
    const { served, agents } = this.#options;
    const isHandle = fleetNumberOf(asked.id) !== undefined;
    const known = isHandle ? agents.recall(asked.id) : undefined;
    if (isHandle && known === undefined) return undefined;
    const fleet = served.recall(known?.fleetID ?? asked.id);
    if (fleet === undefined) return undefined;
    if (!hasPartIn(principal, fleet.projectID)) throw fleetNotFound(asked.id);
    // Field by field, as in the answer below: to spread objects takes a tenth of the time of an unchanged poll.
    const asking: Asking = { id: asked.id, said: asked.said, fleet, known };
    if (findOffer(asking) !== undefined) return undefined;
    const chosen = this.#choose(asking, 'config');
    const config = served.recallConfig(chosen.publication.versionID, formOf(fleet, form));
    if (config === undefined) return undefined;
    const filled = this.#recallValues(principal, asking, config);
    if (filled === undefined) return undefined;
    this.#note(asking, chosen, filled.digest);
    return this.#answer(asking, chosen, config, filled);
  }

  /** The same after look-ups. @throws Refusal not_found, permission_denied, fleet_config_incomplete, overloaded */
  async answer(principal: Principal, asked: Asked, form: AskedForm): Promise<Answered> {
    const asking = await this.#find(principal, asked);
    const wanted = formOf(asking.fleet, form);
    const chosen = this.#choose(asking, 'config');
    const offer = findOffer(asking);
    if (offer !== undefined) {
      const config = await this.#findConfig(offer, wanted);
      const filled = this.#recallValues(principal, asking, config);
      // Only those count that can get it.
      if (filled !== undefined && (await asking.fleet.choice.give?.())) {
        return this.#answer(
          asking,
          { ...chosen, publication: offer, seconds: offer.seconds },
          config,
          filled,
        );
      }
    }
    const config = await this.#findConfig(chosen.publication, wanted);
    const filled = this.#recallValues(principal, asking, config);
    if (filled === undefined) return this.#fill(asking, chosen, config, wanted);
    this.#note(asking, chosen, filled.digest);
    return this.#answer(asking, chosen, config, filled);
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

  async #findConfig({ versionID }: Publication, form: WantedForm): Promise<ServedConfig> {
    const { served } = this.#options;
    return served.recallConfig(versionID, form) ?? (await served.findConfig(versionID, form));
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
    const { has = findRenewed(asking) } = agent;
    const publication = offered ?? fleet.choice.choose(has === agent.has ? agent : { ...agent, has });
    return { publication, seconds: publication.seconds + (known?.shift ?? 0), fleet, has: agent.has };
  }

  /** What is written into a configuration; undefined if values of the agent must be looked up first. */
  #recallValues(
    principal: Principal,
    { said, fleet, known }: Asking,
    config: ServedConfig,
  ): Filled | undefined {
    if (config.variables.length === 0) return nothing;
    if (said === undefined) return { texts: config.shown, digest: undefined };
    // A credential that may read fleets and is none of agents gets no secrets.
    if (config.hasSecrets) requireGrantOfAgents(principal);
    if (known === undefined) return fill(config, fleet, undefined);
    const { written } = known;
    if (written?.config !== config || written.fleet !== fleet || this.#options.agents.isStale(written))
      return undefined;
    return { texts: written.texts, digest: known.valuesDigest };
  }

  /** Looks up what the agent needs, and gives it a later date if it has the same configuration with other values. */
  async #fill(asking: Asking, chosen: Chosen, config: ServedConfig, form: WantedForm): Promise<Answered> {
    const { agents, clock } = this.#options;
    const { id, fleet, known } = asking;
    if (known === undefined) throw new Error('only values of agents with an id of their own are looked up');
    const isOwn = config.variables.some((variable) => isOfAgent(variable, fleet.values));
    const values = isOwn ? await agents.findValues(known) : undefined;
    if (isOwn && values === undefined) return waiting(asking, chosen, form);
    const filled = fill(config, fleet, values);
    const { publication } = chosen;
    // It may have it from a replica that has not stored yet with which values.
    const mayHaveIt = known.offered === publication.seconds || chosen.has?.seconds === publication.seconds;
    const isOther = known.agentID !== undefined && mayHaveIt && known.valuesDigest !== filled.digest;
    const { recent } = fleet.clock;
    const current = isOther
      ? await agents.renew(id, known, { publication, recent, digest: filled.digest })
      : known;
    current.written = { config, fleet, texts: filled.texts, at: clock() };
    const answered: Chosen = {
      ...chosen,
      seconds: publication.seconds + current.shift,
      has: isOther ? undefined : chosen.has,
    };
    this.#note({ ...asking, known: current }, answered, filled.digest);
    return this.#answer(asking, answered, config, filled);
  }

  #answer({ id, known }: Asking, chosen: Chosen, config: ServedConfig, { texts }: Filled): Answered {
    const { publication, fleet, seconds, has } = chosen;
    const parts = config.partsFor(known && id, texts);
    return { publication, fleet, seconds, has, parts, lastModified: this.#dateOf(seconds) };
  }

  /** In GMT, as agents parse it. */
  #dateOf(seconds: number): string {
    const known = this.#dates.get(seconds);
    if (known !== undefined) return known;
    const date = dateOf(seconds);
    this.#dates.set(seconds, date);
    return date;
  }

  #note({ id, said, known }: Asking, { publication, has }: Chosen, digest: string | undefined): void {
    if (said === undefined || known === undefined) return;
    const { agents, onAgent } = this.#options;
    agents.notePoll(id, known, { offered: publication.seconds, downloaded: has?.seconds, digest });
    if (known.agentID !== undefined) onAgent(known.agentID);
  }
}

/** What is written into a configuration in the place of its variables. */
interface Filled {
  readonly texts: readonly (Buffer | string)[];
  /** Of the values, whatever the format. */
  readonly digest: string | undefined;
}

const nothing: Filled = { texts: [], digest: undefined };

/** @throws Refusal fleet_config_incomplete */
function fill(config: ServedConfig, { id, values }: ServedFleet, agent: AgentValues | undefined) {
  const shown: string[] = [];
  const texts = config.variables.map((variable) => {
    const value = valueOfVariable(variable, values, agent);
    if (value === undefined) throw incomplete(id, variable, agent);
    // No digest of a secret is stored.
    shown.push(variable.scope === 'secrets' ? (values.secrets.get(variable.name)?.id ?? '') : value);
    return config.encode(value);
  });
  return { texts, digest: hash('sha256', JSON.stringify(shown)).slice(0, 32) };
}

function incomplete(fleetID: string, { scope, name }: Variable, agent: AgentValues | undefined): Refusal {
  const written = `{{${scope}.${name}}}`;
  const why =
    scope === 'secrets'
      ? 'was stored with another MUSTER_SECRET_KEY. Set that key again, or set the secret again'
      : agent === undefined
        ? 'is known of agents with fleet_name only, and this one asks with fleet_id'
        : scope === 'agent'
          ? 'has characters that are not allowed in configurations. Use letters, digits and . _ : @ + -'
          : `has no value for this agent. Run: muster fleet vars ${fleetID} --set ${name}=VALUE --all-at-once`;
  return new Refusal('fleet_config_incomplete', {
    detail: `The agent goes on with the configuration that it has: ${written} ${why}.`,
  });
}

/** @throws Refusal permission_denied */
function requireGrantOfAgents(principal: Principal): void {
  if (principal.kind !== 'project') {
    throw new Refusal('permission_denied', {
      detail: 'The configuration has secrets, which only agents get: use a project token, as they do.',
    });
  }
  requireGrant(principal.grants, 'create:agent');
}

/** Does nothing until the agent has registered, which it does with the first configuration that it gets. */
const waitingConfig = {
  config_format: 'classic',
  raw_config:
    '[INPUT]\n    Name    dummy\n    Tag     muster.waiting\n    Samples 1\n\n[OUTPUT]\n    Name  null\n    Match muster.waiting\n',
};

/** A little earlier than the configuration itself, which the agent gets when it is known, and under the date of nothing else. */
function waiting({ id, fleet }: Asking, chosen: Chosen, form: WantedForm): Answered {
  const config = new ServedConfig(renderConfig(waitingConfig, form), form.format);
  let seconds = chosen.seconds - 1;
  while (fleet.clock.find(seconds) !== undefined) seconds -= 1;
  const earlier = { ...chosen, seconds };
  return { ...earlier, parts: config.partsFor(id, []), lastModified: dateOf(seconds) };
}

/** What only some of the agents get that nobody can tell from others of their fleet. */
function findOffer({ said, fleet, known }: Omit<Asking, 'id'>): Publication | undefined {
  const { current, choice } = fleet;
  if (said === undefined || known !== undefined || current === undefined) return undefined;
  return choice.findOffer?.(askingAgent({ said, fleet, known }, current, 'config'));
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

/**
 * What an agent had that was offered other values of it. Until it says that it has these, its answer may be lost, and the date that it says means nothing
 * any more. One that was moved here has had nothing of the fleet yet, and must not be taken to have what it was only offered.
 */
function findRenewed({ said, fleet, known }: Asking): Publication | undefined {
  const mayHaveLostIt =
    known?.hasRun === true &&
    known.downloaded === undefined &&
    known.valuesDigest !== undefined &&
    known.shift > 0;
  // Without a configuration, it says -1.
  if (!mayHaveLostIt || known.offered === undefined || !(Number(said) >= 0)) return undefined;
  return findDownloaded({ fleet, known }, known.offered + known.shift);
}

function formOf({ hasReporting }: ServedFleet, { format, origin }: AskedForm): WantedForm {
  return { format, origin: hasReporting ? origin : undefined };
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1_000).toUTCString();
}
