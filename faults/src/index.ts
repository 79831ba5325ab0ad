export { foldError, foldErrorKnowing, foldVersion, maxPatternLength } from './fold/fold-error.ts';
export { meaningfulNumberRules } from './fold/meaningful-number-rules.ts';
