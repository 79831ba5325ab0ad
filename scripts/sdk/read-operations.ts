import type { OpenApiDocument, OpenApiOperation, OpenApiParameter, OpenApiSchema } from '@muster/contract';

/** One operation of the document with its path and method. */
export interface DocumentedOperation extends OpenApiOperation {
  readonly method: string;
  readonly path: string;
}

/** Every operation of a document, in the document's order, except streams: those are written by hand. */
export function operationsOf({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => ({ ...operation, method, path }))
      .filter(({ responses }) => responses['200']?.content?.['text/event-stream'] === undefined),
  );
}

/** Further facts about an operation that the SDK needs. */
export interface OperationShape {
  /** Name of its input type, such as `CreateTokenInput`. */
  readonly inputName: string;
  readonly pathParameters: readonly OpenApiParameter[];
  readonly queryParameters: readonly OpenApiParameter[];
  /** The type of its body; undefined if it takes none. */
  readonly body: string | undefined;
  readonly isBodyRequired: boolean;
  /** Its media type, if that is not JSON. */
  readonly mediaType: string | undefined;
  readonly status: string;
  readonly answers: 'json' | 'page' | 'text' | 'nothing';
  /** The type of its answer; of a page, the type of one item. */
  readonly answer: string;
  /** True if it takes one report of an agent or an array of reports. */
  readonly isReport: boolean;
}

/** Parameters for agents that cannot build a body of their own. A program sends what is valid, in the field `error`. */
const forAgents = ['partial', 'text_field'];

export function shapeOf(operation: DocumentedOperation): OperationShape {
  const { parameters = [], requestBody, responses } = operation;
  const [status = '', success] = Object.entries(responses).find(([one]) => one.startsWith('2')) ?? [];
  const [bodyType, bodyContent] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const [answerType, answerContent] = Object.entries(success?.content ?? {})[0] ?? [];
  const isPage = success?.headers?.Link !== undefined;
  const isJson = answerType === 'application/json';
  const schema = isPage ? answerContent?.schema.items : answerContent?.schema;
  return {
    inputName: `${capitalize(operation.operationId)}Input`,
    pathParameters: parameters.filter((one) => one.in === 'path'),
    queryParameters: parameters.filter((one) => one.in === 'query' && !forAgents.includes(one.name)),
    body: bodyContent === undefined ? undefined : bodyTypeOf(bodyType, bodyContent.schema),
    isBodyRequired: requestBody?.required === true,
    mediaType: bodyType === 'application/json' ? undefined : bodyType,
    status,
    answers: schema === undefined ? 'nothing' : isPage ? 'page' : isJson ? 'json' : 'text',
    answer: schema === undefined ? 'void' : isJson ? typeOf(schema) : 'string',
    isReport: success?.headers?.['Muster-Agent-Error'] !== undefined,
  };
}

function bodyTypeOf(mediaType: string | undefined, schema: OpenApiSchema): string {
  return mediaType === 'application/json' ? typeOf(schema) : 'Uint8Array';
}

/** The TypeScript type of a schema: a reference, or a plain type as parameters have. */
export function typeOf(schema: OpenApiSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (schema.type === 'array' && schema.items !== undefined) return `readonly ${typeOf(schema.items)}[]`;
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'object') return 'Record<string, unknown>';
  if (schema.type === 'string' || schema.type === 'boolean') return schema.type;
  throw new Error(`the SDK has no type for the schema ${JSON.stringify(schema)}`);
}

export function nameOf(reference: string): string {
  return reference.replace('#/components/schemas/', '');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
