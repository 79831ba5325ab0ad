import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('a core instance whose state folder is of another project', () => {
  const other = randomUUID();
  /** Another core instance is made in the same folder. */
  const leave = async () => {
    await site.stop();
    rmSync(join(site.folder, 'identity.json'));
    return site.centre.projectTokenOf(other);
  };
  const refusal = () =>
    `The state folder ${site.folder} belongs to a core instance of project ${site.centre.projectID}, and the token is one of project ${other}, where what waits in the folder would be lost. Start it with a token of project ${site.centre.projectID}, or choose another folder with --state-directory.`;

  it('does not start while something waits, and changes nothing', async () => {
    await site.start();
    await ready();
    site.centre.fate = () => 'drop';
    expect((await site.report('web-1', 'one')).status).toBe(201);
    const token = await leave();
    const read = () =>
      readdirSync(site.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'identity.json')
        .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')]);
    const before = read();
    await expect(site.start({ readProjectToken: async () => token })).rejects.toMatchObject({
      name: 'StateError',
      message: refusal(),
    });
    expect(read()).toEqual(before);
    site.centre.fate = () => 'store';
    await site.start();
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
  });

  it('forgets the agents and credentials of the other one if nothing waits', async () => {
    const { centre } = site;
    await site.start();
    await ready();
    const body = { name: 'web-1', machineID: 'web-1' };
    const registered = await site.request('POST', '/v1/agents', { body });
    const { id, token: ofAgent } = registered.body as { id: string; token: string };
    await eventually(() => expect(centre.items).toHaveLength(1));
    const progress = join(site.folder, 'progress.json');
    await eventually(() =>
      expect(JSON.parse(readFileSync(progress, 'utf8'))).toMatchObject({
        acknowledged: { segment: 1 },
        sentUpTo: null,
      }),
    );
    const token = await leave();
    centre.credentials = [centre.credentialOf(token)];
    await site.start({ readProjectToken: async () => token });
    await ready();
    const report = (by: string, path: string) =>
      site.request('POST', path, { token: by, body: { error: 'one' } });
    await eventually(async () => expect((await report(token, '/v1/machines/web-1/errors')).status).toBe(201));
    expect((await report(ofAgent, `/v1/agents/${id}/errors`)).status).toBe(401);
    expect((await report(centre.projectToken, '/v1/machines/web-1/errors')).status).toBe(401);
  });

  it('does not join it when its credential ends', async () => {
    let token = site.centre.projectToken;
    await site.start({ readProjectToken: async () => token });
    await ready();
    token = site.centre.projectTokenOf(other);
    site.centre.rotate(0);
    await site.report('web-1', 'one');
    await eventually(() => expect(site.logs).toContain(refusal()));
    token = site.centre.projectToken;
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
    expect(site.centre.joins).toHaveLength(2);
    expect(site.logs.filter((line) => line === refusal())).toHaveLength(1);
  });
});
