import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { TestSite } from './testing/test-site.ts';

let site: TestSite;
beforeEach(async () => {
  site = await TestSite.create();
});
afterEach(() => site.close());

const ready = () => eventually(async () => expect((await site.request('GET', '/readyz')).status).toBe(200));

describe('a core instance that cannot start', () => {
  it.each([
    ['permission_denied', /may not create core instances.*create:core_instance/],
    ['core_instance_name_taken', /Choose another name.* The name is that of --name\.$/],
    ['invalid_credential', /does not accept the project token/],
    ['route_not_found', /does not know core instances/],
  ] as const)('says what to do for %s', async (code, message) => {
    site.centre.joinRefusal = code;
    const { failed } = await site.start();
    const error = await failed;
    expect(error).toMatchObject({ name: 'StateError', message: expect.stringMatching(message) });
  });

  it('cannot be behind another core instance', async () => {
    const { port } = await site.start();
    await ready();
    const other = await TestSite.create();
    try {
      const { failed } = await other.start({ url: new URL(`http://127.0.0.1:${port}`) });
      expect((await failed).message).toBe(
        `http://127.0.0.1:${port}/ refuses to let this core instance join: This is a core instance itself, and a core instance cannot be behind another one: --url must name Muster, such as ${site.centre.url.href}`,
      );
    } finally {
      await other.close();
    }
  });

  it('needs a project token only if it has not joined', async () => {
    const { failed } = await site.start({ readProjectToken: async () => undefined });
    expect((await failed).message).toContain('needs a project token');
  });

  it('refuses a folder that another process uses, or that belongs to another centre', async () => {
    await site.start();
    await ready();
    const other = await TestSite.create();
    try {
      await expect(other.start({ stateDirectory: site.folder })).rejects.toThrow(
        `Another core instance uses the state folder ${site.folder}.`,
      );
      await site.stop();
      await expect(other.start({ stateDirectory: site.folder })).rejects.toThrow(
        `belongs to a core instance of ${site.centre.url.href}`,
      );
    } finally {
      await other.close();
    }
  });

  it('names a folder that cannot be used and a port that is taken', async () => {
    const file = join(site.folder, 'file');
    writeFileSync(file, '');
    await expect(site.start({ stateDirectory: join(file, 'state') })).rejects.toThrow(
      `The state folder ${join(file, 'state')} cannot be used: a part of the path is no folder.`,
    );
    const port = Number(site.centre.url.port);
    await expect(site.start({ port })).rejects.toThrow(
      `Agents cannot be served at 127.0.0.1:${port}: another process listens there.`,
    );
    // The lock is free again.
    await site.start();
  });
});
