import { Type } from 'typebox';
import { defineRoute, jsonBody } from '../route.ts';
import {
  AlertChannel,
  CreateAlertChannel,
  CreatedAlertChannel,
  RotateAlertChannel,
  RotatedAlertChannel,
  UpdateAlertChannel,
} from '../schemas/alert-channel.ts';
import { AlertDelivery, alertDeliveryStates } from '../schemas/alert-delivery.ts';
import { IDParameter, OneOf, pageQuery } from '../schemas/common.ts';

const projectParams = Type.Object({ projectID: IDParameter('The project.') });
const channelParams = Type.Object({ alertChannelID: IDParameter('The channel.') });

const alerts = { tag: 'Alerts', credentials: ['access', 'project'] } as const;

export const listAlertChannels = defineRoute({
  operationID: 'listAlertChannels',
  method: 'GET',
  path: '/v1/projects/{projectID}/alert_channels',
  summary: 'List alert channels of a project',
  description: 'Newest first. No answer contains addresses, keys or secrets of channels.',
  ...alerts,
  permission: 'read:webhook',
  params: projectParams,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: Type.Array(AlertChannel), description: 'A page of channels.', paged: true },
  problems: ['not_found'],
});

export const createAlertChannel = defineRoute({
  operationID: 'createAlertChannel',
  method: 'POST',
  path: '/v1/projects/{projectID}/alert_channels',
  summary: 'Create an alert channel',
  description:
    'Messages of a webhook are signed (Standard Webhooks), and this answer alone contains the secret. Addresses in private networks are refused unless MUSTER_ALERT_ALLOWED_HOSTS names them.',
  ...alerts,
  permission: 'create:webhook',
  params: projectParams,
  body: jsonBody(CreateAlertChannel),
  answer: { status: 201, schema: CreatedAlertChannel, description: 'The channel.' },
  problems: ['not_found', 'secret_key_missing', 'mail_not_set_up', 'too_many_alert_channels'],
});

export const getAlertChannel = defineRoute({
  operationID: 'getAlertChannel',
  method: 'GET',
  path: '/v1/alert_channels/{alertChannelID}',
  summary: 'Get an alert channel',
  ...alerts,
  permission: 'read:webhook',
  params: channelParams,
  answer: { status: 200, schema: AlertChannel, description: 'The channel.' },
  problems: ['not_found'],
});

export const updateAlertChannel = defineRoute({
  operationID: 'updateAlertChannel',
  method: 'PATCH',
  path: '/v1/alert_channels/{alertChannelID}',
  summary: 'Change an alert channel',
  description: 'A new address or key replaces the stored one. The kind stays.',
  ...alerts,
  permission: 'update:webhook',
  params: channelParams,
  body: jsonBody(UpdateAlertChannel),
  answer: { status: 200, schema: AlertChannel, description: 'The channel as it is now.' },
  problems: ['not_found', 'secret_key_missing'],
});

export const deleteAlertChannel = defineRoute({
  operationID: 'deleteAlertChannel',
  method: 'DELETE',
  path: '/v1/alert_channels/{alertChannelID}',
  summary: 'Delete an alert channel',
  description: 'Its waiting messages are dropped, and rules no longer name it.',
  ...alerts,
  permission: 'delete:webhook',
  params: channelParams,
  answer: { status: 204, description: 'Deleted.' },
  problems: ['not_found'],
});

export const rotateAlertChannel = defineRoute({
  operationID: 'rotateAlertChannel',
  method: 'POST',
  path: '/v1/alert_channels/{alertChannelID}/rotate',
  summary: 'Rotate the secret of a webhook',
  description:
    'Until the grace ends, messages have a signature with the new secret and one with the earlier secret, so that the receiver can change it without losing a message.',
  ...alerts,
  permission: 'update:webhook',
  params: channelParams,
  body: jsonBody(RotateAlertChannel),
  answer: { status: 200, schema: RotatedAlertChannel, description: 'The new secret.' },
  problems: ['not_found', 'alert_channel_has_no_secret', 'secret_key_missing'],
});

export const testAlertChannel = defineRoute({
  operationID: 'testAlertChannel',
  method: 'POST',
  path: '/v1/alert_channels/{alertChannelID}/test',
  summary: 'Send a test message',
  description:
    'Sends a message at once, whatever the quiet hours, and answers what the channel answered. It is tried once. Works for a disabled channel too.',
  ...alerts,
  permission: 'update:webhook',
  params: channelParams,
  answer: { status: 200, schema: AlertDelivery, description: 'The message and what became of it.' },
  problems: ['not_found', 'too_many_alert_tests'],
});

export const listAlertDeliveries = defineRoute({
  operationID: 'listAlertDeliveries',
  method: 'GET',
  path: '/v1/projects/{projectID}/alert_deliveries',
  summary: 'List messages to alert channels',
  description: 'Newest first. Kept for MUSTER_ALERT_DELIVERIES_DAYS.',
  ...alerts,
  permission: 'read:webhook',
  params: projectParams,
  query: Type.Object({
    channel_id: Type.Optional(IDParameter('Only messages to this channel.')),
    state: Type.Optional(OneOf(alertDeliveryStates, { description: 'Only messages in this state.' })),
    ...pageQuery,
  }),
  answer: { status: 200, schema: Type.Array(AlertDelivery), description: 'A page of messages.', paged: true },
  problems: ['not_found'],
});
