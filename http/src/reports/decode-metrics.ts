import { Refusal } from '../refusal.ts';

/**
 * Counts the samples in the body of a metrics request: one or more consecutive cmetrics contexts, each the map `{meta, metrics}` or, from old agents,
 * the bare array of metrics. Unknown keys are skipped.
 *
 * @throws Refusal undecodable_metrics, which names the byte and the reason
 */
export function countMetricSamples(body: Uint8Array): number {
  if (body.length === 0) throw undecodable(0, 'the body is empty');
  const reader = new MetricsReader(body);
  let samples = reader.readContext();
  while (!reader.isAtEnd()) samples += reader.readContext();
  return samples;
}

/**
 * Scans MessagePack (github.com/msgpack/msgpack, spec.md) and counts samples. A library would build every object, string and number of the body, at
 * five to ten times the cost, on the route that agents call most. The scan does not allocate, does not trust lengths beyond the end of the body, and
 * does not recurse.
 */
class MetricsReader {
  readonly #bytes: Uint8Array;
  #position = 0;
  /** Position of the value whose head was read last. */
  #valueStart = 0;
  #kind: Kind = 'scalar';
  /** Size of that value: bytes of a text, items of an array, or entries of a map. */
  #size = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  readContext(): number {
    this.#readHead();
    if (this.#kind === 'array') return this.#readMetrics(this.#size);
    this.#expect('map', 'a context: a map of meta and metrics, or an array of metrics');
    const start = this.#valueStart;
    let samples: number | undefined;
    for (let entries = this.#size; entries > 0; entries -= 1) {
      if (this.#readKey(metricsKey)) {
        this.#readHead();
        this.#expect('array', "the context's metrics: an array");
        samples = this.#readMetrics(this.#size);
      } else this.#skipValue();
    }
    if (samples === undefined) throw undecodable(start, "the context has no key 'metrics'");
    return samples;
  }

  #readMetrics(count: number): number {
    let samples = 0;
    for (let metrics = count; metrics > 0; metrics -= 1) samples += this.#readMetric();
    return samples;
  }

  #readMetric(): number {
    this.#readHead();
    this.#expect('map', 'a metric: a map of meta and values');
    const start = this.#valueStart;
    let samples: number | undefined;
    for (let entries = this.#size; entries > 0; entries -= 1) {
      if (this.#readKey(valuesKey)) {
        this.#readHead();
        this.#expect('array', "the metric's values: an array");
        samples = this.#size;
        for (let values = samples; values > 0; values -= 1) this.#skipSample();
      } else this.#skipValue();
    }
    if (samples === undefined) throw undecodable(start, "the metric has no key 'values'");
    return samples;
  }

  #skipSample(): void {
    this.#readHead();
    this.#expect('map', 'a value of the metric: a map');
    this.#skipItems(2 * this.#size);
  }

  /** Reads the key of a map entry. Returns whether it is the wanted one. */
  #readKey(wanted: Uint8Array): boolean {
    this.#readHead();
    this.#expect('text', 'a key: a string');
    const start = this.#position;
    this.#position += this.#size;
    if (this.#size !== wanted.length) return false;
    let equal = 0;
    while (equal < wanted.length && this.#bytes[start + equal] === wanted[equal]) equal += 1;
    return equal === wanted.length;
  }

  #skipValue(): void {
    this.#skipItems(1);
  }

  #skipItems(count: number): void {
    for (let items = count; items > 0; items -= 1) {
      this.#readHead();
      if (this.#kind === 'text') this.#position += this.#size;
      else if (this.#kind === 'array') items += this.#size;
      else if (this.#kind === 'map') items += 2 * this.#size;
    }
  }

  /** Reads the first byte and the length of a value, and the whole value if it is neither a text nor a collection. */
  #readHead(): void {
    const start = this.#position;
    const byte = this.#bytes[start];
    if (byte === undefined) throw truncated(start);
    this.#valueStart = start;
    this.#position = start + 1;
    if (byte <= 0x7f || byte >= 0xe0) this.#scalar(0);
    else if (byte <= 0x8f) this.#sized('map', byte & 0x0f);
    else if (byte <= 0x9f) this.#sized('array', byte & 0x0f);
    else if (byte <= 0xbf) this.#sized('text', byte & 0x1f);
    else this.#readLongHead(longHeads[byte - 0xc0]);
  }

  #readLongHead(head: LongHead | undefined): void {
    if (head === undefined)
      throw undecodable(this.#valueStart, 'the byte 0xc1, which MessagePack never uses');
    const size = head.bytes + this.#readLength(head.lengthBytes);
    if (head.kind === 'scalar') this.#scalar(size);
    else this.#sized(head.kind, size);
  }

  #scalar(size: number): void {
    this.#kind = 'scalar';
    this.#size = size;
    this.#demand(size);
    this.#position += size;
  }

  /** Every item of a collection takes at least one byte, so a length beyond the end of the body is refused at once. */
  #sized(kind: 'text' | 'array' | 'map', size: number): void {
    this.#kind = kind;
    this.#size = size;
    this.#demand(kind === 'map' ? 2 * size : size);
  }

  #demand(bytes: number): void {
    if (bytes > this.#bytes.length - this.#position) throw truncated(this.#valueStart);
  }

  /** Big-endian. */
  #readLength(bytes: number): number {
    this.#demand(bytes);
    let length = 0;
    for (let read = 0; read < bytes; read += 1) {
      length = length * 256 + (this.#bytes[this.#position] ?? 0); // exists, as checked above
      this.#position += 1;
    }
    return length;
  }

  #expect(kind: Kind, wanted: string): void {
    if (this.#kind === kind) return;
    throw undecodable(this.#valueStart, `found ${names[this.#kind]} instead of ${wanted}`);
  }
}

type Kind = 'scalar' | 'text' | 'array' | 'map';

/** The meaning of a first byte: the kind of value, the number of bytes of its length, and the number of fixed bytes. */
interface LongHead {
  readonly kind: Kind;
  readonly lengthBytes: number;
  readonly bytes: number;
}

const scalar = (bytes: number): LongHead => ({ kind: 'scalar', lengthBytes: 0, bytes });
const counted = (kind: Kind, lengthBytes: number, bytes = 0): LongHead => ({ kind, lengthBytes, bytes });

/** For the first bytes 0xc0 to 0xdf. */
const longHeads: readonly (LongHead | undefined)[] = [
  ...[scalar(0), undefined, scalar(0), scalar(0)], // nil, never used, false, true
  ...[counted('scalar', 1), counted('scalar', 2), counted('scalar', 4)], // bin
  ...[counted('scalar', 1, 1), counted('scalar', 2, 1), counted('scalar', 4, 1)], // ext, with its type
  ...[scalar(4), scalar(8)], // float
  ...[scalar(1), scalar(2), scalar(4), scalar(8)], // uint
  ...[scalar(1), scalar(2), scalar(4), scalar(8)], // int
  ...[scalar(2), scalar(3), scalar(5), scalar(9), scalar(17)], // fixext, with its type
  ...[counted('text', 1), counted('text', 2), counted('text', 4)],
  ...[counted('array', 2), counted('array', 4)],
  ...[counted('map', 2), counted('map', 4)],
];

const names: Readonly<Record<Kind, string>> = {
  scalar: 'a number or another simple value',
  text: 'a string',
  array: 'an array',
  map: 'a map',
};

const metricsKey = new TextEncoder().encode('metrics');
const valuesKey = new TextEncoder().encode('values');

function truncated(position: number): Refusal {
  return undecodable(
    position,
    'the body ends within the value that starts here, or claims a length beyond its end',
  );
}

function undecodable(position: number, reason: string): Refusal {
  return new Refusal('undecodable_metrics', { detail: `At byte ${position}: ${reason}.` });
}
