import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../server/src/foundation/settings/config.ts';
import { runMusterProcess } from '../../server/src/testing/muster-process.ts';
import { TestAuthority } from '../../server/src/testing/receivers/test-certificates.ts';
import { examine } from '../../server/src/upkeep/doctor/examine.ts';
import { configOfPlace, DoctorStage, levelsOf } from './doctor-stage.ts';
import { makePlace, type Place } from './installation.ts';

let place: Place;
let server: Server;
let issuer: string;
let discovery: (url: string | undefined) => { readonly status: number; readonly body: unknown };
const stage = new DoctorStage();

beforeAll(async () => {
  place = await makePlace();
  server = createServer((request, response) => {
    const { status, body } = discovery(request.url);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
});

afterEach(() => stage.removeFolders());

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await place.remove();
});

const configOf = (changes: Partial<Config> = {}) => configOfPlace(place, changes);

async function findingsOf(config: Config, check: string) {
  const now = Date.parse('2027-01-01T00:00:00Z');
  const { findings } = await examine(
    config,
    () => now,
    () => 0,
  );
  return findings.filter((finding) => finding.check === check);
}

describe('muster doctor, of what is reached over a network', () => {
  it('finds what is wrong with the identity provider', async () => {
    const config = configOf({ oidc: { issuer, audience: 'muster' } });
    discovery = (url) => ({
      status: 200,
      body: url === '/keys' ? { keys: [] } : { issuer, jwks_uri: `${issuer}/keys` },
    });
    expect(levelsOf(await findingsOf(config, 'identity provider'))).toEqual(['ok']);
    discovery = () => ({ status: 200, body: { issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` } });
    expect(await findingsOf(config, 'identity provider')).toEqual([
      {
        check: 'identity provider',
        level: 'failure',
        message: `The identity provider calls itself ${issuer}/, and MUSTER_OIDC_ISSUER is ${issuer}. Every token is refused.`,
        advice:
          'Spell MUSTER_OIDC_ISSUER exactly as the provider does, with or without the slash at the end.',
      },
    ]);
    discovery = () => ({ status: 404, body: {} });
    expect(levelsOf(await findingsOf(config, 'identity provider'))).toEqual(['failure']);
    discovery = () => ({ status: 200, body: 'another program' });
    expect((await findingsOf(config, 'identity provider')).map(({ message }) => message)).toEqual([
      `${issuer}/.well-known/openid-configuration answers, but not with the configuration of an OpenID Connect provider. Every token is refused.`,
    ]);
  });

  it('asks the service at the address that it has written into the data directory', async () => {
    discovery = () => ({ status: 200, body: { status: 'ready' } });
    const file = join(place.dataDirectory, 'server-url');
    writeFileSync(file, `${issuer}\n`, { mode: 0o600 });
    const [found] = await findingsOf(configOf(), 'service');
    writeFileSync(file, 'http://muster.example.com\n', { mode: 0o600 });
    const [elsewhere] = await findingsOf(configOf(), 'service');
    rmSync(file);
    expect(found).toEqual({
      check: 'service',
      level: 'ok',
      message: `The service answers on ${issuer}, and is ready.`,
    });
    // A file that leads to another machine was not written by the service.
    expect(elsewhere?.message).toMatch(/^Nothing answers on http:\/\/127\.0\.0\.1:1: /);
  });

  it('asks a service with TLS, whose certificate names another host', async () => {
    const authority = new TestAuthority();
    const secure = createSecureServer(authority.issue(), (_, response) => response.end('{"status":"ready"}'));
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const { port } = secure.address() as AddressInfo; // it listens on a port
    const tls = { certFile: 'tls.crt', keyFile: 'tls.key' };
    const [found] = await findingsOf(configOf({ tls, port }), 'service');
    secure.closeAllConnections();
    secure.close();
    expect(found?.message).toBe(`The service answers on https://127.0.0.1:${port}, and is ready.`);
  });

  it('finds that another program has the port', async () => {
    const messagesAt = async (port: number) =>
      (await findingsOf(configOf({ port }), 'service')).map(({ level, message }) => `${level} ${message}`);
    const reason = 'another program has the port, or the service runs with other settings of TLS.';
    discovery = () => ({ status: 200, body: { status: 'ok' } });
    const httpPort = Number(new URL(issuer).port);
    expect(await messagesAt(httpPort)).toEqual([
      `failure http://127.0.0.1:${httpPort} does not answer as Muster does (status 200): ${reason}`,
    ]);
    const other = createSocketServer((socket) => socket.end('220 mail.example.com\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo; // it listens on a port
    const messages = await messagesAt(port);
    other.close();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^failure http:\/\/127\.0\.0\.1:\d+ does not answer as Muster does \(/);
  });

  it('checks the certificate and the key of the service', async () => {
    const folder = stage.newFolder();
    const tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
    const pair = new TestAuthority().issue();
    writeFileSync(tls.certFile, pair.cert);
    const [missing] = await findingsOf(configOf({ tls }), 'TLS');
    expect(missing).toMatchObject({
      level: 'failure',
      message: expect.stringMatching(
        /tls\.key cannot be used: ENOENT: .* The service does not start with them\.$/,
      ),
      advice:
        'Name both files of one pair in PEM format with MUSTER_TLS_CERT and MUSTER_TLS_KEY, and let the user of the service read them.',
    });
    writeFileSync(tls.keyFile, pair.key, { mode: 0o644 });
    const found = await findingsOf(configOf({ tls }), 'TLS');
    expect(levelsOf(found)).toEqual(['ok', 'warning']);
    expect(found[1]?.advice).toBe(`chmod o-rwx ${tls.keyFile}`);
  });

  it('says why a public URL with TLS is refused', async () => {
    const authority = new TestAuthority();
    const folder = stage.newFolder();
    const authorityFile = join(folder, 'authority.crt');
    writeFileSync(authorityFile, authority.cert);
    const secure = createSecureServer(authority.issue({ name: 'other.example.com' }), (_, response) =>
      response.end('{"status":"ok"}'),
    );
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const { port } = secure.address() as AddressInfo; // it listens on a port
    const publicUrl = `https://localhost:${port}`;
    const [unknown] = await findingsOf(configOf({ publicUrl }), 'public URL');
    const env = { ...place.env, PORT: '1', NODE_EXTRA_CA_CERTS: authorityFile };
    const { stdout } = await runMusterProcess(['doctor', '--json', '--public-url', publicUrl], { env });
    secure.closeAllConnections();
    secure.close();
    expect(unknown?.message).toMatch(/^This machine does not trust the certificate of localhost:\d+, /);
    const { findings } = JSON.parse(stdout) as {
      findings: { check: string; level: string; message: string; advice?: string }[];
    };
    const [wrong] = findings.filter(({ check }) => check === 'public URL');
    expect(wrong).toMatchObject({
      level: 'failure',
      advice: 'Get a certificate that names localhost, or correct MUSTER_PUBLIC_URL.',
    });
    expect(wrong?.message).toMatch(/^The certificate of localhost:\d+ is for another host, /);
  });

  it('asks the public URL, and compares it with the settings of proxies', async () => {
    discovery = () => ({ status: 200, body: { status: 'ok' } });
    expect(levelsOf(await findingsOf(configOf({ publicUrl: issuer }), 'public URL'))).toEqual(['ok']);
    const open = configOf({ publicUrl: issuer, trustProxy: true, host: '0.0.0.0' });
    expect(levelsOf(await findingsOf(open, 'public URL'))).toEqual(['ok', 'warning']);
    discovery = () => ({ status: 502, body: {} });
    expect((await findingsOf(configOf({ publicUrl: issuer }), 'public URL'))[0]).toMatchObject({
      level: 'failure',
      message: `${issuer}/healthz answers 502.`,
    });
    discovery = () => ({ status: 200, body: '<html>' });
    expect((await findingsOf(configOf({ publicUrl: issuer }), 'public URL'))[0]).toMatchObject({
      level: 'failure',
      message: `${issuer} answers, but not as Muster does: its /healthz is of another program.`,
    });
  });
});
