import type { FastifyServerOptions } from 'fastify';
import { BodyValidators } from './requests/validate-body.ts';

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;
type BuildSerializer = NonNullable<NonNullable<SchemaController['compilersFactory']>['buildSerializer']>;

/** How the schemas of the contract become functions that check bodies and write answers. */
export interface SchemaCompilers {
  readonly validators: BodyValidators;
  /** Undefined: the framework's. */
  readonly buildSerializer: BuildSerializer | undefined;
}

export function createSchemaCompilers(): SchemaCompilers {
  return { validators: new BodyValidators(), buildSerializer: undefined };
}
