import { buildOpenApiDocument } from '@muster/contract';
import { operationsSource } from './write-operations.ts';
import { problemsSource } from './write-problems.ts';
import { schemasSource } from './write-schemas.ts';

/** Where they lie, from the root of the repository. */
export const generatedFolder = 'client/src/generated';

/** The generated part of the SDK: the text of each file by its name. */
export async function generateClient(): Promise<Record<string, string>> {
  // What is generated does not depend on the version.
  const document = buildOpenApiDocument('0.0.0');
  return {
    'operations.gen.ts': operationsSource(document),
    'problem-codes.gen.ts': problemsSource(document),
    'schemas.gen.ts': await schemasSource(document),
  };
}
