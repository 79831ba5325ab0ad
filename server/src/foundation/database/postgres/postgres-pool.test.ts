import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { parseDatabaseUrl } from './database-url.ts';
import { PostgresPool } from './postgres-pool.ts';

/** A message of the server, PostgreSQL documentation, section 54.7: a letter, the length, the content. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const authenticationOk = message('R', Buffer.alloc(4));
const readyForQuery = message('Z', Buffer.from('I'));
const terminated = message('E', Buffer.from('SFATAL\0C57P02\0Mterminating connection\0\0'));

it('survives a connection that ends in the moment in which it is made', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([authenticationOk, readyForQuery, terminated])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const pool = new PostgresPool({
    location: parseDatabaseUrl(`postgres://muster@127.0.0.1:${port}/muster`),
    setting: 'DATABASE_URL',
    maxConnections: 1,
    onConnectionError: () => undefined,
  });
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  await expect(pool.query('select 1', [])).rejects.toThrow();
  await pool.end();
  process.off('uncaughtException', note);
  server.close();
  await once(server, 'close');
  expect(uncaught).toEqual([]);
});
