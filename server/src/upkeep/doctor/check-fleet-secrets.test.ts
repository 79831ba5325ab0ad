import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Secret } from '../../foundation/secret.ts';
import { readConfig } from '../../foundation/settings/config.ts';
import { startTestApp } from '../../testing/start-test-app.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';
import { checkFleetSecrets } from './check-fleet-secrets.ts';
import type { Finding } from './finding.ts';

it('finds secrets of fleets that the service cannot open', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const app = await startTestApp({ dataDirectory });
  const { id: projectID } = await app.createProject();
  const call = (method: string, path: string, body: object) =>
    app.request<{ id: string }>(method, path, { as: { access: app.admin }, body });
  for (const name of ['edge', 'gone']) {
    const { body: fleet } = await call('POST', `/v1/projects/${projectID}/fleets`, { name });
    const set = [{ name: 'password', value: 'a long secret' }];
    await call('PATCH', `/v1/fleets/${fleet.id}/secrets`, { set });
    if (name === 'gone') await app.request('DELETE', `/v1/fleets/${fleet.id}`, { as: { access: app.admin } });
  }
  await app.close();
  const check = async (secretKey: string) => {
    const findings: (string | undefined)[][] = [];
    const config = readConfig({ env: { MUSTER_DATA_DIR: dataDirectory }, flags: {} });
    const report = (level: Finding['level'], message: string, advice?: string) =>
      findings.push([level, message, advice]);
    await checkFleetSecrets({ ...config, secretKey: new Secret(secretKey) }, report);
    return findings;
  };
  expect(await check('the-secret-key-of-all-apps-of-tests')).toEqual([
    ['ok', 'All secrets of fleets can be opened.', undefined],
  ]);
  expect(await check('another-key-of-32-characters-or-more')).toEqual([
    [
      'failure',
      "The secret 'password' of the fleet 'edge' is stored with another key than MUSTER_SECRET_KEY or the file secret-key. Agents that use it go on with the configuration that they have, and it is not removed from what they report.",
      'Put back the key, or set the secret again: muster fleet secrets edge --set password --file FILE --all-at-once',
    ],
  ]);
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});
