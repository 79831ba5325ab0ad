import type { Spread } from '../measure/statistics.ts';

/** The bar that a figure has to meet. */
type Bar = { readonly atLeast: number } | { readonly atMost: number };

/** One line of the table. */
export interface Row {
  readonly case: string;
  readonly what: string;
  /** The judged figure; undefined if there is none. */
  readonly figure: Spread | undefined;
  /** `×`, `ms`, `MB`, `s`. */
  readonly unit: string;
  /** The figures that it was computed from, for people. */
  readonly measured: string;
  readonly bar?: Bar;
  /** The goal, in the words of the quality target. */
  readonly goal?: string;
  /** Why the bar does not apply here, such as too few processors. */
  readonly notJudged?: string;
  /** Why there is no figure. */
  readonly failure?: string;
  /** Processor time per request, if it was measured. */
  readonly processor?: string;
}

export type Verdict = 'pass' | 'FAIL' | 'not judged' | '';

export function verdictOf({ figure, bar, notJudged, failure }: Row): Verdict {
  if (failure !== undefined) return 'FAIL';
  if (bar === undefined || figure === undefined) return '';
  if (notJudged !== undefined) return 'not judged';
  const isMet = 'atLeast' in bar ? figure.median >= bar.atLeast : figure.median <= bar.atMost;
  return isMet ? 'pass' : 'FAIL';
}

export function describeBar(bar: Bar | undefined, unit: string): string {
  if (bar === undefined) return '';
  return 'atLeast' in bar ? `≥ ${bar.atLeast} ${unit}` : `≤ ${bar.atMost} ${unit}`;
}

/** Rounds to the significant digits. */
export function formatNumber(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en-US');
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function formatSpread({ median, least, most }: Spread, unit: string): string {
  const end = unit === '' || unit === '/s' ? unit : ` ${unit}`;
  const range = least === most ? '' : ` (${formatNumber(least)}–${formatNumber(most)})`;
  return `${formatNumber(median)}${end}${range}`;
}
