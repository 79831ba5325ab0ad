import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from './send.ts';
import { startThreeReplicas, type ThreeReplicas } from './three-replicas.ts';

let installation: ThreeReplicas;

beforeAll(async () => {
  installation = await startThreeReplicas();
});

afterAll(() => installation.stop());

describe('a report whose body comes late', () => {
  it('is refused if its headers came after the revocation, even if others were checked in between', async () => {
    const { replicas, admin } = installation;
    const [replica, other] = replicas;
    const project = await installation.createProject();
    const agent = await installation.registerAgent(project.token);
    const { id, token } = await installation.createToken(project.id, ['create:agent_error']);
    const body = JSON.stringify({ error: 'late' });
    const path = `/v1/agents/${agent.id}/errors`;

    // The replica remembers the token and does not learn of its revocation.
    const headers = { 'x-project-token': token };
    expect((await send(`${replica.url}${path}`, { headers, body: { error: 'early' } })).status).toBe(201);
    await send(`${other.url}/v1/project_tokens/${id}`, { method: 'DELETE', headers: admin });

    const { hostname, port } = new URL(replica.url);
    const socket = connect(Number(port), hostname);
    // The headers have arrived once the preceding request in the same packet is answered.
    socket.write(
      [
        'GET /healthz HTTP/1.1',
        `Host: ${hostname}:${port}`,
        '',
        `POST ${path} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        `X-Project-Token: ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
        '',
        body.slice(0, 5),
      ].join('\r\n'),
    );
    await once(socket, 'readable');
    // Makes the replica read the number again.
    expect((await send(`${replica.url}/v1/projects`, { headers: admin })).status).toBe(200);
    socket.write(body.slice(5));
    expect((await text(socket)).match(/HTTP\/1\.1 \d+ \w+/g)).toEqual([
      'HTTP/1.1 200 OK',
      'HTTP/1.1 401 Unauthorized',
    ]);
  });
});
