import { pairwise, ratio, spreadOf } from '../measure/statistics.ts';
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

function describeRate({ name, perSecond }: Compared): string {
  return `${name} ${formatSpread(spreadOf(perSecond), '/s')}`;
}

function describeProcessor({ name, microsecondsPerRequest = [] }: Compared): string[] {
  const known = microsecondsPerRequest.filter((value) => value !== undefined);
  return known.length === 0 ? [] : [`${name} ${formatNumber(spreadOf(known).median)} µs`];
}
