export { isConsequenceOf } from './is-consequence-of.ts';
