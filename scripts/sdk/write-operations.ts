import type { OpenApiDocument, OpenApiParameter } from '@muster/contract';
import { docComment, exampleLines, notice } from './comments.ts';
import {
  type DocumentedOperation,
  type OperationShape,
  operationsOf,
  shapeOf,
  typeOf,
} from './read-operations.ts';
import { exampleOf } from './write-examples.ts';

/** The source of the module with one function for each operation. */
export function operationsSource(document: OpenApiDocument): string {
  const operations = operationsOf(document);
  const imported = operations.flatMap((operation) => {
    const { body = '', answer } = shapeOf(operation);
    return [...`${body} ${answer}`.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name);
  });
  const schemas = [...new Set(imported)].filter((name) => name in document.components.schemas).sort();
  return [
    notice,
    `import { report, type ReportedAgentError, type ReportedAgentErrors } from '../agent-error-reports.ts';`,
    `import { call } from '../call.ts';`,
    `import type { Client } from '../client.ts';`,
    `import type { CallOptions } from '../options.ts';`,
    `import { list, type PagedList } from '../paged-list.ts';`,
    `import type {\n${schemas.map((name) => `  ${name},\n`).join('')}} from './schemas.gen.ts';`,
    ...operations.flatMap((operation) => [
      '',
      inputSource(operation, document),
      '',
      functionSource(operation, document),
    ]),
    '',
  ].join('\n');
}

function inputSource(operation: DocumentedOperation, document: OpenApiDocument): string {
  const { inputName, pathParameters, queryParameters, body, isBodyRequired } = shapeOf(operation);
  const fields = [
    ...[...pathParameters, ...queryParameters].map(parameterSource),
    ...(body === undefined
      ? []
      : [`  readonly body${isBodyRequired ? `: ${body}` : `?: ${body} | undefined`};`]),
  ];
  const { asType } = exampleOf(operation, document);
  const doc = docComment('', [`What ${operation.operationId} takes.`, ...exampleLines(asType)]);
  if (fields.length === 0) return `${doc}\nexport type ${inputName} = Readonly<Record<string, never>>;`;
  return `${doc}\nexport interface ${inputName} {\n${fields.join('\n')}\n}`;
}

function parameterSource({ name, required, description, schema }: OpenApiParameter): string {
  const type = required ? `: ${typeOf(schema)}` : `?: ${typeOf(schema)} | undefined`;
  const doc = description === undefined ? '' : `${docComment('  ', [description])}\n`;
  return `${doc}  readonly ${name}${type};`;
}

function functionSource(operation: DocumentedOperation, document: OpenApiDocument): string {
  const { operationId } = operation;
  const shape = shapeOf(operation);
  const { inputName, answer, answers, isReport } = shape;
  const doc = docComment('', [
    ...(operation.description?.startsWith('Needs `')
      ? [`${operation.summary}. ${operation.description}`]
      : [`${operation.summary}.`, ...(operation.description ? ['', operation.description] : [])]),
    '',
    `It is \`${operation.method.toUpperCase()} ${operation.path}\`.`,
    '',
    `@throws MusterError with one of the codes of \`OperationProblems['${operationId}']\`; MusterConnectionError`,
    ...exampleLines(exampleOf(operation, document).asCall),
  ]);
  const isOptional = shape.body === undefined && shape.pathParameters.length === 0;
  const input = `input: ${inputName}${isOptional ? ' = {}' : ''}`;
  if (isReport) return `${doc}\n${reportSource(operation, shape)}`;
  const returned = answers === 'page' ? `PagedList<${answer}>` : `Promise<${answer}>`;
  return [
    doc,
    `export function ${operationId}(client: Client, ${input}, options?: CallOptions): ${returned} {`,
    `  return ${answers === 'page' ? 'list' : 'call'}(client, ${descriptorSource(operation, shape)}, input, options);`,
    '}',
  ].join('\n');
}

/** One report gets one result, an array of reports gets an array of results. */
function reportSource(operation: DocumentedOperation, shape: OperationShape): string {
  const { operationId } = operation;
  const { inputName } = shape;
  const one = `${inputName} & { readonly body: CreateAgentError }`;
  const many = `${inputName} & { readonly body: readonly CreateAgentError[] }`;
  return [
    `export function ${operationId}(client: Client, input: ${one}, options?: CallOptions): Promise<ReportedAgentError>;`,
    `export function ${operationId}(client: Client, input: ${many}, options?: CallOptions): Promise<ReportedAgentErrors>;`,
    `export function ${operationId}(client: Client, input: ${inputName}, options?: CallOptions): Promise<ReportedAgentError | ReportedAgentErrors>;`,
    `export function ${operationId}(client: Client, input: ${inputName}, options?: CallOptions): Promise<ReportedAgentError | ReportedAgentErrors> {`,
    `  return report(client, ${descriptorSource(operation, shape)}, input, options);`,
    '}',
  ].join('\n');
}

function descriptorSource(
  operation: DocumentedOperation,
  { status, answers, mediaType }: OperationShape,
): string {
  const fields = [
    `id: '${operation.operationId}'`,
    `method: '${operation.method.toUpperCase()}'`,
    `path: '${operation.path}'`,
    `status: ${status}`,
    `answers: '${answers}'`,
    ...(mediaType === undefined ? [] : [`mediaType: '${mediaType}'`]),
    `repeatable: ${operation['x-repeatable']}`,
    ...(operation['x-takes-idempotency-key'] ? ['takesIdempotencyKey: true'] : []),
  ];
  return `{ ${fields.join(', ')} }`;
}
