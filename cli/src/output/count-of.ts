export { countOf, numberOf } from '@muster/contract';
