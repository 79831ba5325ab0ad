export { foldError, foldVersion, maxPatternLength } from './fold/fold-error.ts';
