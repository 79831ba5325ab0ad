import type { TSchema } from 'typebox';
import type { OpenApiSchema } from './openapi-document.ts';
import * as agentSchemas from './schemas/agent.ts';
import * as agentConfigChangeSchemas from './schemas/agent-config-change.ts';
import * as agentErrorSchemas from './schemas/agent-error.ts';
import * as agentErrorGroupSchemas from './schemas/agent-error-group.ts';
import * as alertChannelSchemas from './schemas/alert-channel.ts';
import * as alertDeliverySchemas from './schemas/alert-delivery.ts';
import * as alertRuleSchemas from './schemas/alert-rule.ts';
import * as alertRulePreviewSchemas from './schemas/alert-rule-preview.ts';
import * as auditSchemas from './schemas/audit.ts';
import { Actor } from './schemas/common.ts';
import * as coreInstanceSchemas from './schemas/core-instance.ts';
import * as coreInstanceBatchSchemas from './schemas/core-instance-batch.ts';
import * as dismissalSchemas from './schemas/dismissal.ts';
import * as eventSchemas from './schemas/event.ts';
import * as fleetSchemas from './schemas/fleet.ts';
import * as fleetValueSchemas from './schemas/fleet-value.ts';
import * as fleetVersionCountSchemas from './schemas/fleet-version-count.ts';
import * as freezeWindowSchemas from './schemas/freeze-window.ts';
import * as leakSchemas from './schemas/leak.ts';
import * as memberSchemas from './schemas/member.ts';
import { Problem } from './schemas/problem.ts';
import * as projectSchemas from './schemas/project.ts';
import * as projectHistorySchemas from './schemas/project-history.ts';
import * as projectMoveSchemas from './schemas/project-move.ts';
import * as provisioningSchemas from './schemas/provisioning.ts';
import * as rolloutSchemas from './schemas/rollout.ts';
import * as sessionSchemas from './schemas/session.ts';
import * as siteFleetSchemas from './schemas/site-fleets.ts';
import * as systemSchemas from './schemas/system.ts';
import * as tokenSchemas from './schemas/token.ts';
import * as userSchemas from './schemas/user.ts';

const namedSchemas = Object.entries<unknown>({
  ...tokenSchemas,
  ...agentErrorSchemas,
  ...dismissalSchemas,
  ...agentErrorGroupSchemas,
  ...agentSchemas,
  ...agentConfigChangeSchemas,
  ...fleetSchemas,
  ...fleetValueSchemas,
  ...fleetVersionCountSchemas,
  ...freezeWindowSchemas,
  ...rolloutSchemas,
  ...coreInstanceSchemas,
  ...coreInstanceBatchSchemas,
  ...siteFleetSchemas,
  ...eventSchemas,
  ...alertChannelSchemas,
  ...alertDeliverySchemas,
  ...alertRuleSchemas,
  ...alertRulePreviewSchemas,
  ...projectSchemas,
  ...projectHistorySchemas,
  ...leakSchemas,
  ...projectMoveSchemas,
  ...provisioningSchemas,
  ...memberSchemas,
  ...userSchemas,
  ...sessionSchemas,
  ...systemSchemas,
  ...auditSchemas,
  Actor,
  Problem,
}).filter((entry): entry is [string, TSchema] => isSchema(entry[1]));

/** Replaces every use of a named schema by a reference to its name. */
const namesOfSchemas = new Map<unknown, string>(namedSchemas.map(([name, schema]) => [schema, name]));

/** The schemas under components, by name. */
export function componentSchemas(): Record<string, OpenApiSchema> {
  return Object.fromEntries(namedSchemas.map(([name, schema]) => [name, copyEntries(schema)]));
}

/** The schema as it appears in the document, with references to named schemas. */
export function toOpenApiSchema(schema: TSchema): OpenApiSchema {
  return copy(schema) as OpenApiSchema; // TypeBox builds JSON Schema with only the keywords of that type
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value);
}

function copy(value: unknown): unknown {
  const name = namesOfSchemas.get(value);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(value)) return value.map(copy);
  return typeof value === 'object' && value !== null ? copyEntries(value) : value;
}

function copyEntries(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]));
}
