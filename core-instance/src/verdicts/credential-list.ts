import { join } from 'node:path';
import { type Grant, isGrant, type SiteCredentials } from '@muster/contract';
import { AllowedNetworks } from '@muster/http/allowed-networks';
import { ReportRates } from '@muster/http/limits/report-rate';
import { readText, replaceDurably } from '../state/durable-file.ts';
import type { SiteAgents } from '../state/site-agents.ts';
import type { SiteCredential } from './site-credential.ts';

type Item = SiteCredentials['items'][number];
type Limits = SiteCredentials['limits'];
/** Those that registered here: their tokens are also known without the list. */
type Registered = Pick<SiteAgents, 'agentOfToken' | 'endTokens'>;

/** The digests of the project's credentials, as the centre last gave them, in memory and in the state folder. */
export class CredentialList {
  readonly #path: string;
  readonly #agents: Registered;
  #items = new Map<string, Item>();
  /** What a new list has so far: the old one counts until the new one is whole. */
  #next: Map<string, Item> | undefined;
  #cursor: string | undefined;
  #limits: Limits | undefined;
  readonly #deletedAgents = new Set<string>();
  readonly #rates = new ReportRates();
  readonly #read = new Map<string, SiteCredential>();
  readonly #lists = new SharedLists();
  #isWritten = true;
  /** True while no list was whole yet. */
  #isFirst = true;

  private constructor(path: string, agents: Registered) {
    this.#path = path;
    this.#agents = agents;
  }

  static async open(folder: string, agents: Registered): Promise<CredentialList> {
    const list = new CredentialList(join(folder, 'credentials.json'), agents);
    const stored = parse(await readText(list.#path));
    list.#cursor = stored?.cursor;
    list.#limits = stored?.limits;
    list.#isFirst = stored === undefined;
    for (const item of stored?.items ?? []) {
      list.#items.set(item.digest, list.#shared(item));
      list.#noteAgent(item);
    }
    return list;
  }

  /** Where the list goes on; undefined if nothing was ever heard. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** The limits of the centre that this site applies; the same object until they change. Undefined: nothing was ever heard. */
  get limits(): Limits | undefined {
    return this.#limits;
  }

  /** True once a whole list was heard. */
  get isKnown(): boolean {
    return this.#cursor !== undefined && !this.#isFirst;
  }

  find(digest: string): SiteCredential | undefined {
    const known = this.#read.get(digest);
    if (known !== undefined) return known;
    const item = this.#items.get(digest);
    if (item === undefined) return undefined;
    const credential = this.#toCredential(item);
    if (this.#read.size >= maxRead) this.#read.clear();
    this.#read.set(digest, credential);
    return credential;
  }

  /** True if the centre has said so; it keeps that for ever. */
  isDeletedAgent(agentID: string): boolean {
    return this.#deletedAgents.has(agentID);
  }

  /** What is applied next is a new list from its start. */
  begin(): void {
    this.#next = new Map();
  }

  apply({ cursor, limits, reset, more, items }: SiteCredentials): void {
    if (JSON.stringify(limits) !== JSON.stringify(this.#limits)) {
      this.#limits = limits;
      this.#isWritten = false;
    }
    if (reset) this.begin();
    const target = this.#next ?? this.#items;
    for (const item of items) {
      target.set(item.digest, this.#shared(item));
      this.#noteAgent(item);
    }
    this.#cursor = cursor;
    const isWhole = !more && this.#next !== undefined;
    if (isWhole && this.#next !== undefined) this.#items = this.#withEnded(this.#next);
    if (isWhole) this.#next = undefined;
    if (!more) this.#isFirst = false;
    if (items.length === 0 && !isWhole) return;
    this.#read.clear();
    this.#isWritten = false;
  }

  /** Resolves when what has changed is on the disk. A list that is not whole is read again from its start after a restart. */
  async write(): Promise<void> {
    if (this.#isWritten || this.#next !== undefined) return;
    this.#isWritten = true;
    const items = [...this.#items.values()];
    const stored = { cursor: this.#cursor, limits: this.#limits, items };
    try {
      // First, because a later list does not say again what has ended.
      await this.#agents.endTokens(
        items.filter(hasEnded).map(({ digest }) => digest),
        true,
      );
      await replaceDurably(this.#path, `${JSON.stringify(stored)}\n`);
    } catch (error) {
      this.#isWritten = false;
      throw error;
    }
  }

  #noteAgent({ kind, id, deleted }: Item): void {
    if (kind !== 'agent' || id === null) return;
    if (deleted) this.#deletedAgents.add(id);
    // The centre was restored from a backup.
    else this.#deletedAgents.delete(id);
  }

  /**
   * A list that begins anew does not have what has ended, so that it does not grow for ever. The tokens of deleted agents stay known here, and
   * those that were given here stay refused.
   */
  #withEnded(items: Map<string, Item>): Map<string, Item> {
    const gone = [...this.#items.values()].filter(({ digest }) => !items.has(digest));
    const ended = gone
      .filter(({ kind, digest }) => kind === 'agent' && this.#agents.agentOfToken(digest) !== undefined)
      .map((item) => ({ ...item, id: null, revoked: true, deleted: false }));
    const deleted = gone.filter((item) => item.deleted).slice(-maxDeleted);
    return new Map([...[...ended, ...deleted].map((item) => [item.digest, item] as const), ...items]);
  }

  /** The same item, with lists that it shares with equal ones: those of thousands of agents are the same. */
  #shared(item: Item): Item {
    return {
      ...item,
      permissions: this.#lists.of(item.permissions),
      networks: this.#lists.of(item.networks),
      rates: this.#lists.of(item.rates),
    };
  }

  /** Grants of a newer centre that are not known here allow nothing that is asked for here. */
  #toCredential({
    kind,
    id,
    permissions,
    networks,
    rates,
    expiresAt,
    revoked,
    deleted,
  }: Item): SiteCredential {
    return {
      kind,
      id: id ?? '',
      permissions: this.#lists.of(permissions.filter((text): text is Grant => isGrant(text))),
      networks: networks.length === 0 ? undefined : new AllowedNetworks(networks),
      rates:
        rates.length === 0
          ? noRates
          : rates.map(({ tokenID, reportsPerSecond }) => this.#rates.of(tokenID, reportsPerSecond)),
      expiresAt,
      // The token of a deleted agent is valid, so that the answer to it can be that the agent was deleted.
      isRevoked: (revoked && !deleted) || id === null,
    };
  }
}

/** The centre knows the token no more. */
function hasEnded({ kind, id }: Item): boolean {
  return kind === 'agent' && id === null;
}

const maxRead = 20_000;
const maxDeleted = 10_000;
const noRates: SiteCredential['rates'] = [];
const maxShared = 1_000;

class SharedLists {
  readonly #all = new Map<string, unknown>();

  of<List extends readonly unknown[]>(list: List): List {
    const key = JSON.stringify(list);
    const known = this.#all.get(key);
    if (known !== undefined) return known as List; // what has the same JSON has the same type
    if (this.#all.size >= maxShared) this.#all.clear();
    this.#all.set(key, list);
    return list;
  }
}

/** A file that is damaged is as good as none: the list comes again from the centre. */
function parse(
  text: string | undefined,
): { cursor: string; limits: Limits | undefined; items: Item[] } | undefined {
  if (text === undefined) return undefined;
  try {
    const { cursor, limits, items } = JSON.parse(text) as {
      cursor: unknown;
      limits?: Limits;
      items: unknown;
    }; // checked below
    return typeof cursor === 'string' && Array.isArray(items) ? { cursor, limits, items } : undefined;
  } catch {
    return undefined;
  }
}
