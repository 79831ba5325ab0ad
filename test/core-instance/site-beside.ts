import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  type CoreInstanceOptions,
  type RunningCoreInstance,
  startCoreInstance,
} from '../../core-instance/src/start-core-instance.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import type { ListeningApp } from '../robustness/listening-app.ts';

/** Starts a core instance of the app in this process. Resolves when it is ready. */
export async function startSiteBeside(
  { test, port, project }: ListeningApp,
  options: Partial<CoreInstanceOptions> = {},
): Promise<RunningCoreInstance> {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'muster-site-'));
  const { token } = await test.createToken(project.id, ['create:core_instance']);
  const site = await startCoreInstance({
    url: new URL(`http://127.0.0.1:${port}`),
    stateDirectory,
    host: '127.0.0.1',
    port: 0,
    name: 'plant-7',
    version: '0.1.0',
    readProjectToken: async () => token,
    env: {},
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    ...options,
  });
  await eventually(async () => {
    expect((await fetch(`http://127.0.0.1:${site.port}/readyz`)).status).toBe(200);
  });
  return {
    ...site,
    async stop() {
      await site.stop();
      rmSync(stateDirectory, { recursive: true });
    },
  };
}
