import { agentGrants } from '@muster/contract';
import { digestWords, readDigest, writeDigest } from '../packed/digest-words.ts';
import { idWords, readID, writeID } from '../packed/id-words.ts';
import { NumberedTexts } from '../packed/numbered-texts.ts';
import { PackedOrder } from '../packed/packed-order.ts';
import { PackedTable } from '../packed/packed-table.ts';
import type { TokenDigest } from '../secret.ts';
import type { KnownCredential, KnownCredentials } from './known-credentials.ts';
import type { AgentPrincipal, Principal } from './principal.ts';

const usualMaxProjects = 10_000;

/** Words of a record, after the digest of the token. */
const agentWord = digestWords;
const projectWord = agentWord + idWords;
/** 1 if no request with the token is known to have succeeded. */
const unusedWord = projectWord + 1;
/** A number of 64 bits. */
const readAtWord = unusedWord + 1;
const orderWord = readAtWord + 2;
const valueWords = orderWord + 2 - digestWords;

/** Credentials of agents, of which there may be hundreds of thousands: about 78 bytes each. The whole digest is compared. */
export class KnownAgents implements KnownCredentials {
  readonly #table = new PackedTable({ keyWords: digestWords, valueWords });
  readonly #order = new PackedOrder(this.#table, orderWord);
  readonly #projects = new NumberedTexts();
  readonly #maxProjects: number;
  readonly #digest = new Uint32Array(digestWords);
  readonly #agentID = new Uint32Array(idWords);
  readonly #time = new Float64Array(1);
  readonly #timeWords = new Uint32Array(this.#time.buffer);

  constructor(maxProjects = usualMaxProjects) {
    this.#maxProjects = maxProjects;
  }

  get size(): number {
    return this.#table.size;
  }

  get(digest: TokenDigest): KnownCredential | undefined {
    const record = this.#find(digest);
    if (record === undefined) return undefined;
    this.#table.read(record, readAtWord, this.#timeWords);
    return { principal: this.#principalOf(record, digest), readAt: this.#time[0] ?? 0 };
  }

  set(digest: TokenDigest, { principal, readAt }: KnownCredential): void {
    if (principal.kind !== 'agent' || !readID(principal.agentID, this.#agentID)) return;
    const { projectID, unusedToken } = principal;
    const isNewProject = this.#projects.find(projectID) === undefined;
    if (isNewProject && this.#projects.size >= this.#maxProjects) this.clear();
    if (!readDigest(digest, this.#digest)) return;
    const record = this.#table.add(this.#digest);
    this.#table.write(record, agentWord, this.#agentID);
    this.#table.setWord(record, projectWord, this.#projects.numberOf(projectID));
    this.#table.setWord(record, unusedWord, unusedToken === undefined ? 0 : 1);
    this.#time[0] = readAt;
    this.#table.write(record, readAtWord, this.#timeWords);
    this.#order.append(record);
  }

  delete(digest: TokenDigest): void {
    const record = this.#find(digest);
    if (record !== undefined) this.#remove(record);
  }

  deleteOldest(): void {
    if (this.#order.first >= 0) this.#remove(this.#order.first);
  }

  deleteWhere(isMeant: (principal: Principal) => boolean): void {
    for (const record of this.#table.records()) {
      this.#table.read(record, 0, this.#digest);
      if (isMeant(this.#principalOf(record, writeDigest(this.#digest)))) this.#remove(record);
    }
  }

  clear(): void {
    this.#table.clear();
    this.#order.clear();
    this.#projects.clear();
  }

  #find(digest: TokenDigest): number | undefined {
    const record = readDigest(digest, this.#digest) ? this.#table.find(this.#digest) : -1;
    return record < 0 ? undefined : record;
  }

  #principalOf(record: number, digest: string): AgentPrincipal {
    this.#table.read(record, agentWord, this.#agentID);
    return {
      kind: 'agent',
      agentID: writeID(this.#agentID),
      projectID: this.#projects.textOf(this.#table.word(record, projectWord)),
      grants: agentGrants,
      expiresAt: null,
      // It was found by this digest, or has it as its key.
      unusedToken: this.#table.word(record, unusedWord) === 1 ? (digest as TokenDigest) : undefined,
    };
  }

  #remove(record: number): void {
    this.#order.remove(record);
    this.#table.remove(record);
  }
}
