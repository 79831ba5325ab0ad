export { catalogues } from '../catalogue/catalogues.ts';
export type { Catalogue, CatalogueSection, KnownFault } from '../catalogue/known-fault.ts';
export { type Explanation, explainError } from './explain-error.ts';
