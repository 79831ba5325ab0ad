import { Type } from 'typebox';
import { defineRoute } from '../route.ts';
import { Liveness, Readiness } from '../schemas/system.ts';

const system = { method: 'GET', tag: 'Service', credentials: [] } as const;

export const getLiveness = defineRoute({
  ...system,
  operationID: 'getLiveness',
  path: '/healthz',
  summary: 'Check that the process is alive',
  answer: { status: 200, schema: Liveness, description: 'Alive, whatever its database does.' },
});

export const getReadiness = defineRoute({
  ...system,
  operationID: 'getReadiness',
  path: '/readyz',
  summary: 'Check that the service answers requests',
  answer: { status: 200, schema: Readiness, description: 'Ready.' },
  problems: ['database_unavailable', 'shutting_down'],
});

export const getMetrics = defineRoute({
  ...system,
  operationID: 'getMetrics',
  path: '/metrics',
  summary: 'Get metrics of the service for Prometheus',
  description:
    'Needs no credential unless the service has the setting MUSTER_METRICS_TOKEN. Then it needs this token as `Authorization: Bearer …`, and the metrics of agents and errors are divided by project.',
  answer: {
    status: 200,
    schema: Type.String(),
    mediaType: 'text/plain; version=0.0.4; charset=utf-8',
    description: 'Prometheus text format 0.0.4.',
  },
  problems: ['missing_credential', 'invalid_credential'],
});

export const getOpenApi = defineRoute({
  ...system,
  operationID: 'getOpenApi',
  path: '/openapi.json',
  summary: 'This document',
  answer: {
    status: 200,
    schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    description: 'OpenAPI 3.1.',
  },
});

export const getDocs = defineRoute({
  ...system,
  operationID: 'getDocs',
  path: '/docs',
  summary: 'The reference page',
  answer: { status: 200, schema: Type.String(), mediaType: 'text/html; charset=utf-8', description: 'HTML.' },
});
