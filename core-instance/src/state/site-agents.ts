import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readText, replaceDurably } from './durable-file.ts';

interface Registered {
  readonly kind: 'registered';
  readonly agentID: string;
  /** Absent: its machine belongs to another agent here. */
  readonly machineID?: string | undefined;
  readonly tokenDigest: string;
}

interface Alias {
  readonly kind: 'alias';
  readonly agentID: string;
  readonly canonicalID: string;
}

interface Ended {
  readonly kind: 'ended';
  readonly tokenDigest: string;
  /** The agent keeps its id, also without a token. */
  readonly isAgentKept?: boolean;
}

/** Tokens of one agent that are accepted: its newest ones, because an answer can be lost. */
const keptTokens = 10;
/** Beside twice as many as say something, so many lines make the file be written anew. */
const spareLines = 1_000;

/**
 * The agents that registered here: the ids and tokens that they were given, and the ids by which the centre knows them. Kept for ever, because an agent
 * keeps its id for years. A line of JSON for each event; a line that is cut off or damaged is left out. The file is written anew when most of its lines
 * say nothing any more, so that an agent that registers again and again does not make it grow.
 */
export class SiteAgents {
  readonly #path: string;
  readonly #byMachine = new Map<string, string>();
  readonly #byToken = new Map<string, string>();
  readonly #tokens = new Map<string, string[]>();
  readonly #aliases = new Map<string, string>();
  #lineCount = 0;
  /** Of the file when it was last written anew. */
  #keptCount = 0;
  #written: Promise<void> = Promise.resolve();
  /** What the next write writes. */
  #waiting: string[] = [];
  #next: Promise<void> | undefined;

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(folder: string): Promise<SiteAgents> {
    const agents = new SiteAgents(join(folder, 'agents.log'));
    const text = (await readText(agents.#path)) ?? '';
    for (const line of text.split('\n')) {
      if (line === '') continue;
      agents.#lineCount += 1;
      agents.#apply(line);
    }
    const kept = agents.#lines();
    agents.#keptCount = kept.length;
    // Also ends the line that a crash has cut off.
    if (agents.#lineCount !== kept.length || (text !== '' && !text.endsWith('\n')))
      await agents.#rewrite(kept);
    return agents;
  }

  get count(): number {
    return this.#tokens.size;
  }

  /** The id that the agent of a machine was given here. */
  agentOfMachine(machineID: string): string | undefined {
    return this.#byMachine.get(machineID);
  }

  /** True for an id that was given here. */
  isRegistered(agentID: string): boolean {
    return this.#tokens.has(agentID);
  }

  /** The agent to which a token was given here. */
  agentOfToken(digest: string): string | undefined {
    return this.#byToken.get(digest);
  }

  /** The id by which the centre knows an agent. */
  canonicalID(agentID: string): string {
    return this.#aliases.get(agentID) ?? agentID;
  }

  /** Resolves when it is on the disk. @param machineID undefined: its machine stays that of another agent */
  async register(agentID: string, machineID: string | undefined, tokenDigest: string): Promise<void> {
    await this.#append([{ kind: 'registered', agentID, machineID, tokenDigest }]);
  }

  /**
   * The centre has refused what these tokens were given for, or has ended them later; then their agents keep their ids. Resolves when that is on the
   * disk.
   */
  async endTokens(digests: readonly string[], isAgentKept = false): Promise<void> {
    const known = digests.filter((digest) => this.#byToken.has(digest));
    if (known.length === 0) return;
    await this.#append(known.map((tokenDigest) => ({ kind: 'ended', tokenDigest, isAgentKept })));
  }

  /** An alias that is the id itself ends the one before. Resolves when they are on the disk. */
  async addAliases(aliases: readonly Omit<Alias, 'kind'>[]): Promise<void> {
    const added = aliases.filter(({ agentID, canonicalID }) => this.canonicalID(agentID) !== canonicalID);
    if (added.length > 0) await this.#append(added.map((alias) => ({ kind: 'alias', ...alias })));
  }

  /** What arrives while a write is under way shares the next one. */
  #append(events: readonly (Registered | Alias | Ended)[]): Promise<void> {
    this.#waiting.push(...events.map((event) => JSON.stringify(event)));
    if (this.#next === undefined) {
      this.#next = this.#written.then(() => this.#write());
      this.#written = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    const file = await open(this.#path, 'a', 0o600);
    try {
      // A line of its own, whatever a failed write has left before it.
      await file.appendFile(`\n${lines.join('\n')}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    for (const line of lines) this.#apply(line);
    this.#lineCount += lines.length;
    if (this.#lineCount <= 2 * this.#keptCount + spareLines) return;
    // It is as good as it is, and the next write tries again.
    await this.#rewrite(this.#lines()).catch(() => undefined);
  }

  async #rewrite(lines: readonly string[]): Promise<void> {
    await replaceDurably(this.#path, lines.map((line) => `${line}\n`).join(''));
    this.#lineCount = lines.length;
    this.#keptCount = lines.length;
  }

  #apply(line: string): void {
    const event = parse(line);
    if (event?.kind === 'alias') this.#setAlias(event);
    if (event?.kind === 'ended') this.#end(event);
    if (event?.kind !== 'registered') return;
    const { agentID, machineID, tokenDigest } = event;
    if (machineID !== undefined) this.#byMachine.set(machineID, agentID);
    this.#byToken.set(tokenDigest, agentID);
    const before = (this.#tokens.get(agentID) ?? []).filter((one) => this.#byToken.has(one));
    const tokens = [...before.filter((one) => one !== tokenDigest), tokenDigest];
    for (const ended of tokens.splice(0, Math.max(0, tokens.length - keptTokens)))
      this.#byToken.delete(ended);
    this.#tokens.set(agentID, tokens);
  }

  #setAlias({ agentID, canonicalID }: Alias): void {
    if (canonicalID === agentID) this.#aliases.delete(agentID);
    else this.#aliases.set(agentID, canonicalID);
  }

  #end({ tokenDigest, isAgentKept }: Ended): void {
    const agentID = this.#byToken.get(tokenDigest);
    if (agentID === undefined) return;
    this.#byToken.delete(tokenDigest);
    const left = (this.#tokens.get(agentID) ?? []).filter((one) => one !== tokenDigest);
    if (left.length > 0) {
      this.#tokens.set(agentID, left);
      return;
    }
    // The last one stays with its agent, as one that is accepted no more.
    if (isAgentKept) return;
    this.#tokens.delete(agentID);
    for (const [machineID, id] of this.#byMachine) if (id === agentID) this.#byMachine.delete(machineID);
  }

  #lines(): string[] {
    const machines = new Map([...this.#byMachine].map(([machineID, agentID]) => [agentID, machineID]));
    const registered = [...this.#tokens].flatMap(([agentID, tokens]) =>
      tokens.map((tokenDigest) =>
        JSON.stringify({ kind: 'registered', agentID, machineID: machines.get(agentID), tokenDigest }),
      ),
    );
    const ended = [...this.#tokens.values()]
      .flat()
      .filter((tokenDigest) => !this.#byToken.has(tokenDigest))
      .map((tokenDigest) => JSON.stringify({ kind: 'ended', tokenDigest, isAgentKept: true }));
    const aliases = [...this.#aliases].map(([agentID, canonicalID]) =>
      JSON.stringify({ kind: 'alias', agentID, canonicalID }),
    );
    return [...registered, ...ended, ...aliases];
  }
}

function parse(line: string): Registered | Alias | Ended | undefined {
  try {
    const event = JSON.parse(line) as Registered | Alias | Ended | null; // a line of ours, or damaged
    if (event?.kind === 'ended') return event.tokenDigest ? event : undefined;
    const isWhole = event?.kind === 'alias' ? event.canonicalID : event?.tokenDigest;
    return isWhole && event?.agentID ? event : undefined;
  } catch {
    return undefined;
  }
}
