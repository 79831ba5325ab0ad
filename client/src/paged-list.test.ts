import { afterEach, describe, expect, it } from 'vitest';
import { createClient, listAgents, listProjects } from './index.ts';
import { createPatientClient } from './testing/patient-client.ts';
import {
  hangUp,
  json,
  refuse,
  type ScriptedServer,
  type Step,
  startScriptedServer,
} from './testing/scripted-server.ts';

let server: ScriptedServer;
afterEach(() => server?.close());

async function start(...steps: readonly Step[]) {
  server = await startScriptedServer(...steps);
  return createPatientClient({ url: server.url }).client;
}

/** A page of two items with a link to the next, as the service writes it. */
function page(first: number, next?: string): Step {
  const items = [{ id: String(first) }, { id: String(first + 1) }];
  return json(
    200,
    items,
    next === undefined ? {} : { link: `</v1/projects?last=2&before=${next}>; rel="next"` },
  );
}

describe('a list', () => {
  it('yields every item of every page, and requests a page only when it is needed', async () => {
    const client = await start(page(1, 'a'), page(3, 'b'), page(5));
    const seen: [string, number][] = [];
    for await (const { id } of listProjects(client, { last: 2 })) seen.push([id, server.received.length]);
    expect(seen).toEqual([
      ['1', 1],
      ['2', 1],
      ['3', 2],
      ['4', 2],
      ['5', 3],
      ['6', 3],
    ]);
    expect(server.received.map(({ url }) => url)).toEqual([
      '/v1/projects?last=2',
      '/v1/projects?last=2&before=a',
      '/v1/projects?last=2&before=b',
    ]);
  });

  it('requests nothing before it is read, nor after the loop ends', async () => {
    const client = await start(page(1, 'a'), page(3));
    const projects = listProjects(client);
    expect(server.received).toEqual([]);
    for await (const { id } of projects) if (id === '2') break;
    expect(server.received).toHaveLength(1);
  });

  it('can be read again, from its beginning', async () => {
    const client = await start(page(1));
    const projects = listProjects(client);
    for (let round = 0; round < 2; round += 1) {
      const ids: string[] = [];
      for await (const { id } of projects) ids.push(id);
      expect(ids).toEqual(['1', '2']);
    }
  });

  it('can be read page by page, with the cursor of the next page', async () => {
    const client = await start(page(1, 'a'), page(3));
    const pages: unknown[] = [];
    for await (const one of listProjects(client, { name: 'Ed*' }).pages()) pages.push(one);
    expect(pages).toEqual([
      { items: [{ id: '1' }, { id: '2' }], next: 'a' },
      { items: [{ id: '3' }, { id: '4' }] },
    ]);
  });

  it('continues after an empty page that has a next one', async () => {
    const client = await start(json(200, [], { link: '</v1/projects?before=a>; rel="next"' }), page(1));
    const ids: string[] = [];
    for await (const { id } of listProjects(client)) ids.push(id);
    expect(ids).toEqual(['1', '2']);
  });

  it('begins after the given cursor, and first() returns only that page', async () => {
    const client = await start(page(3, 'b'));
    expect(await listProjects(client, { last: 2, before: 'a' }).first()).toEqual({
      items: [{ id: '3' }, { id: '4' }],
      next: 'b',
    });
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/projects?last=2&before=a']);
  });

  it('requests only a lost page again', async () => {
    const client = await start(page(1, 'a'), hangUp, refuse('overloaded', { 'retry-after': '1' }), page(3));
    const ids: string[] = [];
    for await (const { id } of listProjects(client)) ids.push(id);
    expect(ids).toEqual(['1', '2', '3', '4']);
  });

  it('throws the refusal of a page after the items before it', async () => {
    const client = await start(page(1, 'a'), refuse('revoked_credential'));
    const ids: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { id } of listProjects(client)) ids.push(id);
    };
    await expect(read()).rejects.toMatchObject({ code: 'revoked_credential' });
    expect(ids).toEqual(['1', '2']);
  });

  it('ends with the reason of its signal', async () => {
    const client = await start(page(1, 'a'), page(3));
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      for await (const { id } of listProjects(client, {}, { signal: controller.signal })) {
        if (id === '2') controller.abort(new Error('enough'));
      }
    };
    await expect(read()).rejects.toThrow('enough');
    expect(server.received).toHaveLength(1);
  });

  it('does not loop forever when the same page comes again', async () => {
    const client = await start(page(1, 'a'));
    const read = async (): Promise<void> => {
      for await (const _ of listProjects(client));
    };
    await expect(read()).rejects.toThrow('answered the same page again as the next one');
    expect(server.received).toHaveLength(2);
  });

  it.each([
    '',
    '<>',
    '</v1/projects>; rel="next"',
    '</v1/projects?before=a>; rel="prev"',
    '<http://[>; rel="next"',
    'next',
  ])('ends where the link is %j', async (link) => {
    const client = await start(json(200, [], { link }));
    expect(await listProjects(client).first()).toEqual({ items: [] });
  });

  it('finds the next page behind a proxy that moves the service, whatever path the link has', async () => {
    server = await startScriptedServer(page(1, 'a'), page(3));
    const client = createClient({ url: `${server.url}/muster/` });
    for await (const _ of listAgents(client, { projectID: 'p', fleet_id: 'edge' }).pages());
    expect(server.received.map(({ url }) => url)).toEqual([
      '/muster/v1/projects/p/agents?fleet_id=edge',
      '/muster/v1/projects/p/agents?fleet_id=edge&last=2&before=a',
    ]);
  });
});
