import type { OpenApiDocument, OpenApiOperation } from '@muster/contract';
import { exampleOfContent } from './example-value.ts';

type Components = OpenApiDocument['components'];

/** A shell command in which the address, the ids and the credential are variables. */
export function curlCommand(
  method: string,
  path: string,
  operation: OpenApiOperation,
  components: Components,
): string {
  const url = `"$MUSTER_URL${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variableName(name)}`)}"`;
  return [
    method === 'get' ? 'curl' : `curl -X ${method.toUpperCase()}`,
    url,
    ...credentialArguments(operation, components),
    ...bodyArguments(operation, components),
  ].join(' \\\n  ');
}

/** Uses the first kind of credential that the operation lists. */
function credentialArguments({ security }: OpenApiOperation, { securitySchemes }: Components): string[] {
  const [name] = Object.keys(security[0] ?? {});
  const scheme = name === undefined ? undefined : securitySchemes[name];
  if (name === undefined || scheme === undefined) return [];
  const header = scheme.type === 'http' ? 'Authorization: Bearer' : `${scheme.name}:`;
  return [`-H "${header} $${variableName(name)}"`];
}

function bodyArguments({ requestBody }: OpenApiOperation, { schemas }: Components): string[] {
  if (requestBody === undefined) return [];
  const [mediaType = ''] = Object.keys(requestBody.content);
  const json = exampleOfContent(requestBody.content, schemas);
  const data = json === undefined ? '--data-binary @body' : `-d '${json.replaceAll("'", "'\\''")}'`;
  return [`-H 'Content-Type: ${mediaType}'`, data];
}

/** `projectID` becomes `PROJECT_ID`. */
function variableName(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}
