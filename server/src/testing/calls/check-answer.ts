import { buildOpenApiDocument, type OpenApiDocument, type OpenApiResponse } from '@muster/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface CheckedAnswer {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  /** True if the request asked for an answer without the documented body. */
  readonly isMinimal: boolean;
  readonly text: string;
}

const documentID = 'openapi.json';

/** Checks answers against the OpenAPI document: status, media type and the whole body. */
export class AnswerChecker {
  readonly #document: OpenApiDocument = buildOpenApiDocument('0.0.0-test');
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #paths: readonly { readonly template: string; readonly pattern: RegExp }[];

  constructor() {
    formats.default(this.#ajv);
    this.#ajv.addSchema(this.#document, documentID);
    // OpenAPI 3.1, paths object: a path without parameters matches before one with them.
    const templates = Object.keys(this.#document.paths).toSorted(
      (one, other) => Number(one.includes('{')) - Number(other.includes('{')),
    );
    this.#paths = templates.map((template) => ({
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  /** @throws Error that says how the answer differs from the document */
  check(answer: CheckedAnswer): void {
    const template = this.#paths.find(({ pattern }) => pattern.test(answer.path))?.template;
    const method = answer.method.toLowerCase();
    const operation = Object.entries(
      template === undefined ? {} : (this.#document.paths[template] ?? {}),
    ).find(([name]) => name === method)?.[1];
    if (template === undefined || operation === undefined) {
      this.#checkUnknownRoute(answer);
      return;
    }
    const documented = operation.responses[answer.status];
    const where = `${answer.method} ${template} ${answer.status}`;
    if (documented === undefined) throw new Error(`${where} is not documented: ${answer.text}`);
    this.#checkBody(where, answer, documented, [
      'paths',
      template,
      method,
      'responses',
      String(answer.status),
      'content',
    ]);
  }

  #checkUnknownRoute({ method, path, status, contentType, text }: CheckedAnswer): void {
    if (status === 404 && contentType?.startsWith('application/problem+json')) return;
    throw new Error(`${method} ${path} is no documented route, and answers ${status}: ${text.slice(0, 500)}`);
  }

  #checkBody(
    where: string,
    answer: CheckedAnswer,
    documented: OpenApiResponse,
    pointer: readonly string[],
  ): void {
    if (documented.content === undefined || answer.isMinimal) {
      if (answer.text !== '') throw new Error(`${where} has a body where none is documented: ${answer.text}`);
      return;
    }
    const mediaType = Object.keys(documented.content).find((type) =>
      isSameMediaType(type, answer.contentType),
    );
    if (mediaType === undefined)
      throw new Error(`${where} has the undocumented media type ${answer.contentType}`);
    if (!/[/+]json/.test(mediaType)) return;
    const validate = this.#validator([...pointer, mediaType, 'schema']);
    if (!validate(JSON.parse(answer.text))) {
      throw new Error(
        `${where} differs from its schema: ${this.#ajv.errorsText(validate.errors)}\n${answer.text}`,
      );
    }
  }

  #validator(pointer: readonly string[]): ValidateFunction {
    const escaped = pointer.map((part) =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const reference = `${documentID}#/${escaped.join('/')}`;
    const known = this.#validators.get(reference) ?? this.#ajv.compile({ $ref: reference });
    this.#validators.set(reference, known);
    return known;
  }
}

function isSameMediaType(documented: string, actual: string | undefined): boolean {
  return documented.split(';', 1)[0] === actual?.split(';', 1)[0];
}
