import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AgentError, createClient } from '@muster/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NewErrors } from './new-errors.ts';

const projectID = '0192f0a0-0000-7000-8000-000000000000';

let server: Server;
/** The errors that are committed so far, in any order. */
let stored: AgentError[];
let newErrors: NewErrors;

beforeEach(async () => {
  stored = [];
  server = createServer((request, response) => {
    const since = new URL(request.url ?? '', 'http://localhost').searchParams.get('since') ?? '';
    const found = stored
      .filter(({ createdAt }) => createdAt >= since)
      .sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(found));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  newErrors = new NewErrors(createClient({ url }), { projectID }, new AbortController().signal);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function commit(id: string, seconds: number): void {
  const createdAt = new Date(Date.parse('2026-03-02T10:20:00.000Z') + seconds * 1_000).toISOString();
  stored.push({ id, createdAt } as AgentError); // nothing else of it is looked at
}

const idsOf = (errors: readonly AgentError[]) => errors.map(({ id }) => id);

it('finds each error once, also those that replicas commit up to ten seconds late', async () => {
  commit('first', 20);
  expect(idsOf(await newErrors.begin(10))).toEqual(['first']);
  commit('late', 11);
  expect(idsOf(await newErrors.next())).toEqual(['late']);
  commit('newest', 21);
  commit('just in time', 11);
  expect(idsOf(await newErrors.next())).toEqual(['just in time', 'newest']);
  expect(idsOf(await newErrors.next())).toEqual([]);
});
