import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import { AlertRule, CreateAlertRule, UpdateAlertRule } from '../schemas/alert-rule.ts';
import { AlertRulePreview, previewDays } from '../schemas/alert-rule-preview.ts';
import { IDParameter, pageQuery } from '../schemas/common.ts';

const projectParams = Type.Object({ projectID: IDParameter('The project.') });
const ruleParams = Type.Object({ alertRuleID: IDParameter('The rule.') });

const alerts = { tag: 'Alerts', credentials: ['access', 'project'] } as const;

export const listAlertRules = defineRoute({
  operationID: 'listAlertRules',
  method: 'GET',
  path: '/v1/projects/{projectID}/alert_rules',
  summary: 'List alert rules of a project',
  description: 'Newest first.',
  ...alerts,
  permission: 'read:webhook',
  params: projectParams,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(AlertRule), description: 'A page of rules.', paged: true },
  problems: ['not_found'],
});

export const createAlertRule = defineRoute({
  operationID: 'createAlertRule',
  method: 'POST',
  path: '/v1/projects/{projectID}/alert_rules',
  summary: 'Create an alert rule',
  description:
    'It applies to what happens from now on, and to agents and tokens as they are. There is one message for each group, token or core instance, and one when it is over; events, such as a rollout that stopped, have one each.',
  ...alerts,
  permission: 'create:webhook',
  params: projectParams,
  body: jsonBody(CreateAlertRule),
  answer: { status: 201, schema: AlertRule, description: 'The rule.' },
  problems: ['not_found', 'alert_rule_exists', 'too_many_alert_rules'],
});

export const previewAlertRule = defineRoute({
  operationID: 'previewAlertRule',
  method: 'POST',
  path: '/v1/projects/{projectID}/alert_rules/preview',
  summary: 'Preview an alert rule',
  description: `What a rule would have told in the last ${previewDays} days, as far as what is stored tells it. Nothing is stored or sent.`,
  ...alerts,
  permission: 'create:webhook',
  params: projectParams,
  body: jsonBody(CreateAlertRule),
  answer: { status: 200, schema: AlertRulePreview, description: 'What it would have told.' },
  repeatable: true,
  problems: ['not_found'],
});

export const getAlertRule = defineRoute({
  operationID: 'getAlertRule',
  method: 'GET',
  path: '/v1/alert_rules/{alertRuleID}',
  summary: 'Get an alert rule',
  ...alerts,
  permission: 'read:webhook',
  params: ruleParams,
  answer: { status: 200, schema: AlertRule, description: 'The rule.' },
  problems: ['not_found'],
});

export const updateAlertRule = defineRoute({
  operationID: 'updateAlertRule',
  method: 'PATCH',
  path: '/v1/alert_rules/{alertRuleID}',
  summary: 'Change an alert rule',
  description: 'The kind stays. What a rule that is disabled has found counts as over.',
  ...alerts,
  permission: 'update:webhook',
  params: ruleParams,
  body: jsonBody(UpdateAlertRule),
  answer: { status: 200, schema: AlertRule, description: 'The rule as it is now.' },
  problems: ['not_found', 'alert_rule_exists'],
});

export const deleteAlertRule = defineRoute({
  operationID: 'deleteAlertRule',
  method: 'DELETE',
  path: '/v1/alert_rules/{alertRuleID}',
  summary: 'Delete an alert rule',
  description: 'What it has found counts as over.',
  ...alerts,
  permission: 'delete:webhook',
  params: ruleParams,
  answer: { status: 204, description: 'Deleted.' },
  problems: ['not_found'],
});
