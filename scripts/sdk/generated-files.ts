import { buildOpenApiDocument } from '@muster/contract';
import { operationsSource } from './write-operations.ts';
import { problemsSource } from './write-problems.ts';
import { schemasSource } from './write-schemas.ts';

/** The folder of the generated files, from the root of the repository. */
export const generatedFolder = 'client/src/generated';

/** The generated part of the SDK: file texts by name. */
export async function generateClient(): Promise<Record<string, string>> {
  // The generated files do not depend on the version.
  const document = buildOpenApiDocument('0.0.0');
  return {
    'operations.gen.ts': operationsSource(document),
    'problem-codes.gen.ts': problemsSource(document),
    'schemas.gen.ts': await schemasSource(document),
  };
}
