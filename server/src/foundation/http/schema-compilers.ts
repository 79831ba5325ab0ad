import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { BodyValidators } from '@muster/http/requests/validate-body';
import type { FastifyServerOptions } from 'fastify';

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;
type BuildSerializer = NonNullable<NonNullable<SchemaController['compilersFactory']>['buildSerializer']>;

/** How the schemas of the contract become functions that check bodies and write answers. */
export interface SchemaCompilers {
  readonly validators: BodyValidators;
  readonly buildSerializer: BuildSerializer;
}

/** Each schema is compiled when it is first used: to compile all of them took a quarter of the start. */
export function createSchemaCompilers(): SchemaCompilers {
  return { validators: new BodyValidators(), buildSerializer: buildAtFirstUse(SerializerSelector()) };
}

function buildAtFirstUse(build: BuildSerializer): BuildSerializer {
  return (externalSchemas, options) => {
    const compile = build(externalSchemas, options);
    return (route) => {
      let serialize: ((data: unknown) => string) | undefined;
      return (data) => {
        serialize ??= compile(route);
        return serialize(data);
      };
    };
  };
}
