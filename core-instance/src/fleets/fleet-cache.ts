import { hash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FleetsOfSite, SiteFleet, SiteFleetContent } from '@muster/contract';
import { fleetNumberOf, isHandleOf } from '@muster/http/fleets/fleet-handle';
import { readText, replaceDurably } from '../state/durable-file.ts';

interface StoredFleets {
  /** Empty: a fleet is older than the list, because its content could not be had. */
  readonly cursor: string;
  readonly known: FleetsOfSite;
}

/** Of contents in memory. A larger one is read for each answer. */
const maxRememberedCharacters = 4 * 1024 * 1024;

/**
 * The fleets of the project as the centre last gave them: who gets which version, and the bytes. All of it is in the state folder, readable by its owner
 * alone, because configurations can have secrets in them.
 */
export class FleetCache {
  readonly #isEncrypted: boolean;
  readonly #path: string;
  readonly #folder: string;
  #stored: StoredFleets | undefined;
  #byID: ReadonlyMap<string, SiteFleet> = new Map();
  #byNumber: ReadonlyMap<number, SiteFleet> = new Map();
  /** Whom the centre has named for a rollout: a hundred thousand, of which each poll looks for one. */
  readonly #named = new WeakMap<SiteFleet, ReadonlySet<string>>();
  /** By handle. */
  #moved: ReadonlyMap<string, FleetsOfSite['moved'][number]> = new Map();
  /** Names of files. */
  readonly #present: Set<string>;
  /** By key, the one that was asked for last at the end. */
  readonly #remembered = new Map<string, { readonly content: SiteFleetContent; readonly size: number }>();
  #rememberedCharacters = 0;

  private constructor(folder: string, isEncrypted: boolean, present: readonly string[]) {
    this.#isEncrypted = isEncrypted;
    this.#path = join(folder, 'fleets.json');
    this.#folder = join(folder, 'fleets');
    this.#present = new Set(present);
  }

  /** @param isEncrypted true if agents reach this core instance with TLS, which their configurations say */
  static async open(folder: string, isEncrypted: boolean): Promise<FleetCache> {
    const contents = join(folder, 'fleets');
    await mkdir(contents, { recursive: true, mode: 0o700 });
    const cache = new FleetCache(folder, isEncrypted, await readdir(contents));
    cache.#set(parse<StoredFleets>(await readText(cache.#path)));
    return cache;
  }

  /** Where the list is; undefined if nothing was ever heard. */
  get cursor(): string | undefined {
    return this.#stored?.cursor;
  }

  get fleets(): readonly SiteFleet[] {
    return this.#stored?.known.fleets ?? [];
  }

  get publications(): FleetsOfSite['publications'] {
    return this.#stored?.known.publications ?? [];
  }

  /** The fleet that an agent or a person means: by its id, or by one that was made for an agent. */
  find(id: string): SiteFleet | undefined {
    const number = fleetNumberOf(id);
    if (number === undefined) return this.#byID.get(id.toLowerCase());
    const home = this.#byNumber.get(number);
    const moved = this.#moved.get(id);
    if (moved !== undefined) return this.#byID.get(moved.fleetID);
    return home !== undefined && isHandleOf(home, id) ? home : undefined;
  }

  /** True if the agent gets the version of the rollout that the fleet has. */
  isNamed(fleet: SiteFleet, handle: string): boolean {
    let named = this.#named.get(fleet);
    if (named === undefined) {
      named = new Set(fleet.rollout?.handles);
      this.#named.set(fleet, named);
    }
    return named.has(handle);
  }

  /** How much later the dates that an agent gets are than those of publications, because it was moved. */
  shiftOf(id: string): number {
    return this.#moved.get(id)?.shift ?? 0;
  }

  /** True if it need not be asked for. */
  has(key: string): boolean {
    return this.#present.has(this.#fileOf(key));
  }

  /** Resolves when it is on the disk. */
  async keep(key: string, content: SiteFleetContent): Promise<void> {
    const file = this.#fileOf(key);
    await replaceDurably(join(this.#folder, file), JSON.stringify(content));
    this.#present.add(file);
  }

  /** Undefined if it was never heard, or is damaged: then it is asked for again. */
  async content(key: string): Promise<SiteFleetContent | undefined> {
    const remembered = this.#remembered.get(key);
    if (remembered !== undefined) {
      this.#remembered.delete(key);
      this.#remembered.set(key, remembered);
      return remembered.content;
    }
    const file = this.#fileOf(key);
    const text = this.#present.has(file) ? await readText(join(this.#folder, file)) : undefined;
    const content = parse<SiteFleetContent>(text);
    if (content === undefined) this.#present.delete(file);
    else this.#remember(key, content, text?.length ?? 0);
    return content;
  }

  /** From the moment at which it is on the disk, this is what is served. What was served before stays for agents that ask for its files now. */
  async replace(stored: StoredFleets): Promise<void> {
    const before = this.#keys();
    await replaceDurably(this.#path, `${JSON.stringify(stored)}\n`);
    this.#set(stored);
    const kept = new Set([...before, ...this.#keys()].map((key) => this.#fileOf(key)));
    for (const file of this.#present) {
      if (kept.has(file)) continue;
      this.#present.delete(file);
      await rm(join(this.#folder, file), { force: true });
    }
  }

  #fileOf(key: string): string {
    return `${hash('sha256', `${key} ${this.#isEncrypted}`)}.json`;
  }

  #keys(): string[] {
    return this.fleets.flatMap(contentsOf);
  }

  #set(stored: StoredFleets | undefined): void {
    this.#stored = stored;
    this.#byID = new Map(this.fleets.map((fleet) => [fleet.id, fleet]));
    this.#moved = new Map((stored?.known.moved ?? []).map((agent) => [agent.handle, agent]));
    this.#byNumber = new Map(this.fleets.map((fleet) => [fleet.number, fleet]));
  }

  #remember(key: string, content: SiteFleetContent, size: number): void {
    // Two that asked for it at once have both read it.
    this.#rememberedCharacters += size - (this.#remembered.get(key)?.size ?? 0);
    this.#remembered.set(key, { content, size });
    for (const [oldest, { size: freed }] of this.#remembered) {
      if (this.#rememberedCharacters <= maxRememberedCharacters) return;
      this.#remembered.delete(oldest);
      this.#rememberedCharacters -= freed;
    }
  }
}

/** The keys of everything that agents of a fleet can get. */
export function contentsOf({ current, rollout }: SiteFleet): string[] {
  return [current, rollout?.to, rollout?.back, rollout?.before].flatMap(
    (publication) => publication?.content ?? [],
  );
}

/** A file that is damaged is as good as none: what was in it comes again from the centre. */
function parse<Content>(text: string | undefined): Content | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Content); // written by this process alone
  } catch {
    return undefined;
  }
}
