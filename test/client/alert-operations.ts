import {
  type Client,
  createAlertChannel,
  createAlertRule,
  deleteAlertChannel,
  deleteAlertRule,
  getAlertChannel,
  getAlertRule,
  listAlertChannels,
  listAlertDeliveries,
  listAlertRules,
  previewAlertRule,
  rotateAlertChannel,
  testAlertChannel,
  updateAlertChannel,
  updateAlertRule,
} from '@muster/client';
import { expect } from 'vitest';

/** Calls every operation of alert channels, and checks the answers. */
export async function useAlertChannels(admin: Client, projectID: string): Promise<void> {
  const { secret, ...channel } = await createAlertChannel(admin, {
    projectID,
    body: { name: 'on-call', kind: 'webhook', url: 'https://hooks.example.invalid/muster' },
  });
  expect(secret).toMatch(/^whsec_/);
  const alertChannelID = channel.id;
  expect(await getAlertChannel(admin, { alertChannelID })).toEqual(channel);
  expect((await listAlertChannels(admin, { projectID }).first()).items).toEqual([channel]);
  const tested = await testAlertChannel(admin, { alertChannelID });
  expect(tested).toMatchObject({ state: 'failed', channelID: alertChannelID });
  const deliveries = await listAlertDeliveries(admin, { projectID, state: 'failed' }).first();
  expect(deliveries.items).toEqual([tested]);
  const renamed = await updateAlertChannel(admin, { alertChannelID, body: { name: 'night' } });
  expect(renamed).toEqual({ ...channel, name: 'night' });
  const rotated = await rotateAlertChannel(admin, { alertChannelID, body: { graceSeconds: 0 } });
  expect(rotated.secret).not.toBe(secret);
  const previewed = await previewAlertRule(admin, {
    projectID,
    body: { kind: 'agents_offline', share: 0.1 },
  });
  expect(previewed).toMatchObject({ alertsCount: null, messagesCount: null, alerts: [], appliesNow: false });
  const rule = await createAlertRule(admin, { projectID, body: { kind: 'agents_offline', share: 0.1 } });
  const alertRuleID = rule.id;
  expect(rule).toMatchObject({ name: 'Agents offline', share: 0.1, agents: null, enabled: true });
  expect(await getAlertRule(admin, { alertRuleID })).toEqual(rule);
  expect((await listAlertRules(admin, { projectID }).first()).items).toEqual([rule]);
  const changed = await updateAlertRule(admin, { alertRuleID, body: { agents: 5, share: null } });
  expect(changed).toEqual({ ...rule, agents: 5, share: null });
  expect(await deleteAlertRule(admin, { alertRuleID })).toBeUndefined();
  expect(await deleteAlertChannel(admin, { alertChannelID })).toBeUndefined();
  await expect(getAlertChannel(admin, { alertChannelID })).rejects.toMatchObject({ status: 404 });
}
