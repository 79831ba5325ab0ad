export { foldError, foldErrorKnowing, foldVersion, maxPatternLength } from './fold/fold-error.ts';
