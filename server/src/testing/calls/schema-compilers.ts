import { createSchemaCompilers, type SchemaCompilers } from '../../foundation/http/schema-compilers.ts';

const { validators, buildSerializer } = createSchemaCompilers();
const serializers = new WeakMap<object, (data: unknown) => string>();

/**
 * Compiles each schema of the contract once for all apps of a process, because that took most of the time in which an
 * app starts. What is compiled keeps no state.
 */
export const schemaCompilers: SchemaCompilers = {
  validators,
  buildSerializer(externalSchemas, options) {
    const build = buildSerializer(externalSchemas, options);
    return (route) => {
      const known = serializers.get(route.schema as object) ?? build(route);
      serializers.set(route.schema as object, known);
      return known;
    };
  },
};
