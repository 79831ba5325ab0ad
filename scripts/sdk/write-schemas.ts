import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { grants, type OpenApiDocument, type OpenApiSchema } from '@muster/contract';
import { exampleLines, notice } from './comments.ts';
import { operationsOf, shapeOf } from './read-operations.ts';
import { schemaExampleOf } from './write-examples.ts';

/** The source of the module with the type of each schema of the document. */
export async function schemasSource(document: OpenApiDocument): Promise<string> {
  const source = await generateTypes({
    ...document,
    paths: {},
    components: { ...document.components, schemas: withExamples(document) },
  });
  const sent = new Set(operationsOf(document).map((operation) => shapeOf(operation).body?.split(' | ')[0]));
  const types = source
    .split(/^(?=\/\*\*$|export type )/m)
    .reduce(joinComments, [])
    .filter((part) => /^export type (?!ClientOptions )/m.test(part))
    .map((part) => (sent.has(/^export type (\w+)/m.exec(part)?.[1]) ? asSent(part) : part).trimEnd());
  return `${[notice, permissionType, ...types.map(withPermissions)].join('\n\n')}\n`;
}

/** The document types a permission as any text, so that the service can answer a wrong one with the nearest valid one. */
const permissionType = `/**
 * A permission of a token: action:resource, with \`*\` for every action or every resource, including those of later versions.
 *
 * @example
 * \`\`\`ts
 * const permissions: Permission[] = ['create:agent_error', 'read:*'];
 * const body: CreateToken = { name: 'ci-deploy', permissions };
 * \`\`\`
 */
export type Permission =
${grants.map((grant) => `    | '${grant}'`).join('\n')};`;

function withPermissions(type: string): string {
  return type.replaceAll(/^( {4}permissions\??: (?:Readonly)?Array)<string>/gm, '$1<Permission>');
}

/** A comment without indentation belongs to the type after it. */
function joinComments(parts: readonly string[], part: string): string[] {
  const last = parts.at(-1);
  return last?.startsWith('/**') && !last.includes('export type ')
    ? [...parts.slice(0, -1), last + part]
    : [...parts, part];
}

/** Input types are readonly and allow undefined, so that callers may pass immutable values and leave fields out. */
function asSent(type: string): string {
  return type
    .replaceAll('Array<', 'ReadonlyArray<')
    .replaceAll(/^( {4}\w+\?: )(.*);$/gm, '$1$2 | undefined;');
}

/** Sorted by name, because the order in the document depends on how the contract was loaded. */
function withExamples(document: OpenApiDocument): Record<string, OpenApiSchema> {
  const sorted = Object.entries(document.components.schemas).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([name, schema]) => {
      const example = exampleLines(schemaExampleOf(name, document)).join('\n');
      return [name, { ...schema, description: `${schema.description ?? ''}\n${example}` }];
    }),
  );
}

/** The generator can only write files. */
async function generateTypes(document: OpenApiDocument): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-client-'));
  try {
    await createClient({
      input: structuredClone({ ...document }),
      output: { path: folder, header: '' },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    return readFileSync(join(folder, 'types.gen.ts'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
