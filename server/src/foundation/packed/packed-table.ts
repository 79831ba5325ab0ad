interface PackedTableOptions {
  /** The number of 32-bit words in a key. */
  readonly keyWords: number;
  /** The number of words after the key. */
  readonly valueWords: number;
  /** A secret word, so that nobody can find keys that a search reads one after the other. Absent: 0. */
  readonly seed?: number;
}

/** The number of records per array. Memory grows by whole arrays, so that growing copies nothing and leaves no garbage. */
const chunkRecords = 4_096;
const firstIndexSize = 64;
/** The index is doubled when this share of its slots is used. */
const maxLoad = 0.75;
const absent = -1;

/**
 * A hash table of records of fixed size, in typed arrays. A record of eight words takes about 40 bytes. An object in a Map
 * takes 200 to 400 bytes with its strings, and the garbage collector has to visit it again and again.
 *
 * Keys must not be chosen by callers: use ids that this service generates, or digests, with a seed where callers know what is digested. Keys are
 * compared completely, so that records whose keys have the same hash are never confused.
 */
export class PackedTable {
  readonly #keyWords: number;
  readonly #seed: number;
  readonly #recordWords: number;
  #chunks: Uint32Array[] = [];
  /** The number of a record plus one; 0 is a free slot. Collisions take the next slot (linear probing). */
  #index = new Uint32Array(firstIndexSize);
  #size = 0;
  /** The number of records that were ever used. */
  #used = 0;
  /** The number of the first free record plus one. The first word of a free record leads to the next free one. */
  #free = 0;

  constructor({ keyWords, valueWords, seed = 0 }: PackedTableOptions) {
    this.#keyWords = keyWords;
    this.#seed = seed;
    this.#recordWords = keyWords + valueWords;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of the record with that key, or -1. The number stays the same until the record is removed. */
  find(key: Uint32Array): number {
    const mask = this.#index.length - 1;
    for (let slot = this.#hash(key, 0) & mask; ; slot = (slot + 1) & mask) {
      const record = (this.#index[slot] ?? 0) - 1;
      if (record === absent || this.#hasKey(record, key)) return record;
    }
  }

  /** Adds a record and returns its number. The key must not exist yet. The words of the value are 0. */
  add(key: Uint32Array): number {
    if (this.#size + 1 > this.#index.length * maxLoad) this.#grow();
    const record = this.#takeRecord();
    const chunk = this.#chunkOf(record);
    const start = this.#startOf(record);
    for (let word = 0; word < this.#recordWords; word += 1) {
      chunk[start + word] = word < this.#keyWords ? (key[word] ?? 0) : 0;
    }
    this.#enter(record);
    this.#size += 1;
    return record;
  }

  remove(record: number): void {
    const mask = this.#index.length - 1;
    let hole = this.#homeOf(record);
    while (this.#index[hole] !== record + 1) hole = (hole + 1) & mask;
    // The following entries in the same run of slots move up, so that a search never ends too early.
    for (let slot = (hole + 1) & mask; this.#index[slot] !== 0; slot = (slot + 1) & mask) {
      const entry = this.#index[slot] ?? 0;
      const isAllowedThere = ((slot - this.#homeOf(entry - 1)) & mask) >= ((slot - hole) & mask);
      if (!isAllowedThere) continue;
      this.#index[hole] = entry;
      hole = slot;
    }
    this.#index[hole] = 0;
    this.setWord(record, 0, this.#free);
    this.#free = record + 1;
    this.#size -= 1;
  }

  /** A word of a record. The words of the key come first. */
  word(record: number, word: number): number {
    return this.#chunkOf(record)[this.#startOf(record) + word] ?? 0;
  }

  /** Sets a word of the value. The words of the key must not be changed. */
  setWord(record: number, word: number, value: number): void {
    this.#chunkOf(record)[this.#startOf(record) + word] = value;
  }

  /** Copies words of a record. */
  read(record: number, firstWord: number, into: Uint32Array): void {
    const chunk = this.#chunkOf(record);
    const start = this.#startOf(record) + firstWord;
    for (let word = 0; word < into.length; word += 1) into[word] = chunk[start + word] ?? 0;
  }

  write(record: number, firstWord: number, from: Uint32Array): void {
    this.#chunkOf(record).set(from, this.#startOf(record) + firstWord);
  }

  /** The numbers of all records, in no particular order. */
  records(): number[] {
    const records: number[] = [];
    for (const entry of this.#index) if (entry !== 0) records.push(entry - 1);
    return records;
  }

  clear(): void {
    this.#chunks = [];
    this.#index = new Uint32Array(firstIndexSize);
    this.#size = 0;
    this.#used = 0;
    this.#free = 0;
  }

  #takeRecord(): number {
    if (this.#free !== 0) {
      const record = this.#free - 1;
      this.#free = this.word(record, 0);
      return record;
    }
    if (this.#used === this.#chunks.length * chunkRecords) {
      this.#chunks.push(new Uint32Array(chunkRecords * this.#recordWords));
    }
    this.#used += 1;
    return this.#used - 1;
  }

  #grow(): void {
    const before = this.#index;
    this.#index = new Uint32Array(before.length * 2);
    for (const entry of before) if (entry !== 0) this.#enter(entry - 1);
  }

  #enter(record: number): void {
    const mask = this.#index.length - 1;
    let slot = this.#homeOf(record);
    while (this.#index[slot] !== 0) slot = (slot + 1) & mask;
    this.#index[slot] = record + 1;
  }

  #hasKey(record: number, key: Uint32Array): boolean {
    const chunk = this.#chunkOf(record);
    const start = this.#startOf(record);
    for (let word = 0; word < this.#keyWords; word += 1) {
      if (chunk[start + word] !== key[word]) return false;
    }
    return true;
  }

  /** The preferred slot of a record. */
  #homeOf(record: number): number {
    return this.#hash(this.#chunkOf(record), this.#startOf(record)) & (this.#index.length - 1);
  }

  /** The finalizer of MurmurHash3 over all words of a key, because ids that are generated together differ in few bits. */
  #hash(words: Uint32Array, start: number): number {
    let hash = this.#seed;
    for (let word = 0; word < this.#keyWords; word += 1) {
      hash = Math.imul(hash ^ (words[start + word] ?? 0), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    hash = Math.imul(hash, 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  #chunkOf(record: number): Uint32Array {
    const chunk = this.#chunks[Math.floor(record / chunkRecords)];
    if (chunk === undefined) throw new RangeError(`there is no record ${record}`);
    return chunk;
  }

  #startOf(record: number): number {
    return (record % chunkRecords) * this.#recordWords;
  }
}
