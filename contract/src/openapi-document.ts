import type { ProblemCode } from './problems.ts';
import type { Method } from './route.ts';

/** The part of OpenAPI 3.1 that this service uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, OpenApiPath>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>;
    readonly securitySchemes: Readonly<Record<string, OpenApiSecurityScheme>>;
  };
}

export type OpenApiPath = Readonly<Partial<Record<Lowercase<Method>, OpenApiOperation>>>;

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Alternatives, by the name of their security scheme. Empty: the operation is public. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  /** True when a client may repeat the request without knowing whether the first one was carried out. */
  readonly 'x-repeatable': boolean;
  /** True when the request is repeatable because it has an Idempotency-Key, which clients add to each. */
  readonly 'x-takes-idempotency-key'?: boolean;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: OpenApiSchema;
}

export type OpenApiContent = Readonly<Record<string, { readonly schema: OpenApiSchema }>>;

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly schema: OpenApiSchema }>
  >;
  readonly content?: OpenApiContent;
  /** The codes that a refusal with this status can have. */
  readonly 'x-problem-codes'?: readonly ProblemCode[];
}

export type OpenApiSecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer' | 'basic'; readonly description: string }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string; readonly description: string };

/** The keywords of JSON Schema 2020-12 that the contract's schemas use. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly contentMediaType?: string;
  readonly enum?: readonly (string | null)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: OpenApiSchema;
  readonly anyOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly examples?: readonly unknown[];
}
