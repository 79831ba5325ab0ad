import { addressRules } from './address-rules.ts';
import type { FoldRule } from './fold-rule.ts';
import { idRules } from './id-rules.ts';
import { meaningfulNumberRules } from './meaningful-number-rules.ts';
import { numberRules } from './number-rules.ts';
import { placeholderRules } from './placeholder-rules.ts';
import { timeRules } from './time-rules.ts';
import { valueRules } from './value-rules.ts';

/**
 * All rules in the order in which they are tried. A change of any of them changes patterns that are stored, so it needs a new
 * `foldVersion`; a test says so.
 */
export const foldRules: readonly FoldRule[] = [
  ...timeRules,
  ...meaningfulNumberRules,
  ...idRules,
  ...addressRules,
  ...numberRules,
  ...valueRules,
  ...placeholderRules,
];
