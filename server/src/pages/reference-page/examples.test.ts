import { buildOpenApiDocument, type OpenApiContent } from '@muster/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { curlCommand } from './curl-command.ts';
import { exampleOfContent } from './example-value.ts';
import { operationsOf } from './operation-section.ts';

const document = buildOpenApiDocument('1.2.3');
const { components } = document;
const operations = operationsOf(document).map((placed) => ({ ...placed, id: placed.operation.operationId }));

describe('the examples of the reference', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'openapi.json');

  it.each(operations)('are valid for $id', ({ operation }) => {
    const answers = Object.values(operation.responses).filter((one) => one['x-problem-codes'] === undefined);
    for (const content of [operation.requestBody?.content, ...answers.map((answer) => answer.content)]) {
      const example = exampleOfContent(content, components.schemas);
      if (example === undefined) continue;
      expect(ajv.validate(absolute(content), JSON.parse(example)), `${example} ${ajv.errorsText()}`).toBe(
        true,
      );
    }
  });

  it('show a token that has the form of one in a list', () => {
    const { operation } = operationOf('listTokens');
    expect(JSON.parse(exampleOfContent(operation.responses[200]?.content, components.schemas) ?? '')).toEqual(
      [
        {
          id: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d',
          token: 'mst_p_…wXyZ',
          name: 'ci-deploy',
          permissions: ['create:*'],
          createdAt: '2026-03-02T10:20:30.456Z',
          expiresAt: null,
          lastUsedAt: null,
          status: 'active',
          allowedNetworks: null,
          reportsPerSecond: null,
          rotatedAt: null,
          earlierValues: [{ token: 'mst_p_…wXyZ', endsAt: null, retiresOnUse: true, lastUsedAt: null }],
          createdBy: { kind: 'user', id: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', name: 'administrator' },
          parentID: null,
          revokedAt: null,
          revokedBy: null,
          revokeReason: null,
          leakedAt: null,
          leakSource: null,
          agentsCount: 0,
        },
      ],
    );
  });

  it('show an open error without anybody who dismissed it', () => {
    const { operation } = operationOf('listAgentErrors');
    expect(JSON.parse(exampleOfContent(operation.responses[200]?.content, components.schemas) ?? '')).toEqual(
      [
        {
          id: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d',
          agentID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d',
          error: '[output:es:es.0] HTTP status=401 URI=/_bulk',
          dismissedAt: null,
          dismissReason: null,
          createdAt: '2026-03-02T10:20:30.456Z',
          dismissedBy: null,
          occurrences: 1,
          lastSeenAt: '2026-03-02T10:20:30.456Z',
          configID: null,
          current: true,
          groupID: null,
        },
      ],
    );
  });
});

describe('the command of an operation', () => {
  it('takes address, ids and credential from variables', () => {
    const { method, path, operation } = operationOf('listAgentErrors');
    expect(curlCommand(method, path, operation, components)).toBe(`curl \\
  "$MUSTER_URL/v1/agents/$AGENT_ID/errors" \\
  -H "Authorization: Bearer $ACCESS_TOKEN"`);
  });

  it('carries the body, in quotes that a shell leaves alone', () => {
    const { method, path, operation } = operationOf('createAgentError');
    expect(curlCommand(method, path, operation, components)).toBe(`curl -X POST \\
  "$MUSTER_URL/v1/agents/$AGENT_ID/errors" \\
  -H "X-Project-Token: $PROJECT_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{
  "error": "[output:es:es.0] HTTP status=401 URI=/_bulk"
}'`);
  });

  it('sends bytes from a file', () => {
    const { method, path, operation } = operationOf('addAgentMetrics');
    expect(curlCommand(method, path, operation, components)).toContain(
      `-H 'Content-Type: application/x-msgpack' \\\n  --data-binary @body`,
    );
  });

  it('sends no credential where none is taken', () => {
    const { method, path, operation } = operationOf('getLiveness');
    expect(curlCommand(method, path, operation, components)).toBe('curl \\\n  "$MUSTER_URL/healthz"');
  });
});

function operationOf(id: string) {
  const found = operations.find((one) => one.id === id);
  if (found === undefined) throw new Error(`the document has no operation ${id}`);
  return found;
}

/** The schema of a body; its references into the document are resolved. */
function absolute(content: OpenApiContent | undefined): object {
  const json = JSON.stringify(content?.['application/json']?.schema);
  return JSON.parse(json.replaceAll('"#/components', '"openapi.json#/components'));
}
