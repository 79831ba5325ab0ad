import { pairwise, percentile, ratio, spreadOf } from '../measure/statistics.ts';
import { formatNumber, formatSpread, type Row } from './row.ts';

interface Compared {
  readonly name: string;
  /** By round. */
  readonly perSecond: readonly number[];
  readonly microsecondsPerRequest?: readonly (number | undefined)[];
}

interface RateSample {
  readonly perSecond: number;
  readonly microsecondsPerRequest?: number | undefined;
}

export function comparedOf(name: string, samples: readonly RateSample[]): Compared {
  return {
    name,
    perSecond: samples.map(({ perSecond }) => perSecond),
    microsecondsPerRequest: samples.map(({ microsecondsPerRequest }) => microsecondsPerRequest),
  };
}

/** A row with the ratio of one rate to another, round by round. */
export function compareRates(
  row: Omit<Row, 'figure' | 'unit' | 'measured' | 'processor'>,
  one: Compared,
  other: Compared,
): Row {
  const processor = [one, other].flatMap(describeProcessor).join(', ');
  return {
    ...row,
    figure: spreadOf(pairwise(one.perSecond, other.perSecond, ratio)),
    unit: '×',
    measured: `${describeRate(one)}, ${describeRate(other)}`,
    ...(processor === '' ? {} : { processor }),
  };
}

/**
 * A row with the ratio of the processor time of a request to that of another. Other work on the machine only ever adds to it, through caches and memory, so
 * the lower quartiles are compared; the range is that of the rounds.
 */
export function compareProcessor(
  row: Omit<Row, 'figure' | 'unit' | 'measured' | 'processor'>,
  one: Compared,
  other: Compared,
): Row {
  const [some, others] = [knownTimes(one), knownTimes(other)];
  const isKnown = some.length > 0 && some.length === others.length;
  return {
    ...row,
    figure: isKnown
      ? {
          ...spreadOf(pairwise(some, others, ratio)),
          median: percentile(some, 0.25) / percentile(others, 0.25),
        }
      : undefined,
    unit: '×',
    measured: [one, other]
      .filter(() => isKnown)
      .map((compared) => `${compared.name} ${formatNumber(percentile(knownTimes(compared), 0.25))} µs`)
      .join(', '),
  };
}

function knownTimes({ microsecondsPerRequest = [] }: Compared): number[] {
  return microsecondsPerRequest.filter((value) => value !== undefined);
}

function describeRate({ name, perSecond }: Compared): string {
  return `${name} ${formatSpread(spreadOf(perSecond), '/s')}`;
}

function describeProcessor(compared: Compared): string[] {
  const known = knownTimes(compared);
  return known.length === 0 ? [] : [`${compared.name} ${formatNumber(spreadOf(known).median)} µs`];
}
