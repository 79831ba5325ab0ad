import { describe, expect, it } from 'vitest';
import { Secret } from '../../foundation/secret.ts';
import { readConfig } from '../../foundation/settings/config.ts';
import { announcement } from './announce.ts';
import type { FirstStart } from './first-start.ts';

const surroundings = { url: 'http://127.0.0.1:7400', command: 'muster' };
const config = { ...readConfig({ env: {}, flags: {} }), dataDirectory: '/var/lib/muster' };
const firstStart: FirstStart = {
  adminTokenFile: '/var/lib/muster/admin-token',
  signInLink: {
    id: '0192f0a0-0000-7000-8000-000000000001',
    secret: new Secret('mst_l_canary'),
    expiresAt: Date.parse('2026-03-02T11:20:30.456Z'),
  },
  project: {
    id: '0192f0a0-0000-7000-8000-000000000000',
    token: new Secret('PAYLOAD.mst_p_canary'),
  },
};

describe('announcement', () => {
  it('shows on a first start the file of the access token, the project token, and commands to try with both', () => {
    expect(
      announcement({ firstStart }, config, surroundings),
    ).toBe(`Sign in: http://127.0.0.1:7400/sign_in/link/mst_l_canary
  It works once, until 11:20 UTC. Later: muster login --web

Muster is ready at http://127.0.0.1:7400
  reference   http://127.0.0.1:7400/docs
  sign in     with the administrator's access token in /var/lib/muster/admin-token

See it at work with simulated agents, in another terminal, in this folder:

  muster demo

This is the first start. The project "default" was made with this token, which is shown only now:

  PAYLOAD.mst_p_canary

Sign in with the command line, in another terminal, in this folder:

  muster login --url http://127.0.0.1:7400 --with-token < /var/lib/muster/admin-token

Report an error of an agent:

  curl -i http://127.0.0.1:7400/v1/machines/my-laptop/errors \\
    -H 'X-Project-Token: PAYLOAD.mst_p_canary' \\
    -H 'Content-Type: application/json' \\
    -d '{"error":"[output:forward:forward.0] no upstream connections available"}'

See the errors of the project:

  curl http://127.0.0.1:7400/v1/projects/0192f0a0-0000-7000-8000-000000000000/agent_errors \\
    -H "Authorization: Bearer $(cat /var/lib/muster/admin-token)"

`);
  });

  it('names the files of the link and of the project token instead of showing them if there is no terminal', () => {
    const text = announcement({ firstStart }, config, {
      ...surroundings,
      projectTokenFile: '/var/lib/muster/project-token',
      signInLinkFile: '/var/lib/muster/sign-in-link',
    });
    expect(text).toMatch(/^Sign in: open the link in \/var\/lib\/muster\/sign-in-link\n/);
    expect(text).not.toContain('canary');
    expect(text).toContain(
      'The project "default" was made with a token for agents. It is in this file:\n\n  /var/lib/muster/project-token\n',
    );
    expect(text).toContain(`    -H "X-Project-Token: $(cat /var/lib/muster/project-token)" \\\n`);
  });

  it('shows no secret if the operator chose the access token', () => {
    const chosen = { ...firstStart, adminTokenFile: undefined, signInLink: undefined };
    expect(
      announcement({ firstStart: chosen }, config, surroundings),
    ).toBe(`Muster is ready at http://127.0.0.1:7400
  reference   http://127.0.0.1:7400/docs
  sign in     at http://127.0.0.1:7400/sign_in, with the token in MUSTER_ADMIN_TOKEN

This is the first start. Make a token for the agents of the project "default":

  curl http://127.0.0.1:7400/v1/projects/0192f0a0-0000-7000-8000-000000000000/tokens \\
    -H "Authorization: Bearer $MUSTER_ADMIN_TOKEN" \\
    -H 'Content-Type: application/json' \\
    -d '{"name":"agents"}'

Sign in with the command line, in a terminal that has MUSTER_ADMIN_TOKEN too:

  printf %s "$MUSTER_ADMIN_TOKEN" | muster login --url http://127.0.0.1:7400 --with-token

`);
  });

  it('shows the data directory and no secret on a later start', () => {
    expect(
      announcement({ firstStart: undefined }, config, surroundings),
    ).toBe(`Muster is ready at http://127.0.0.1:7400
  reference   http://127.0.0.1:7400/docs
  sign in     http://127.0.0.1:7400/sign_in
  data        /var/lib/muster
`);
  });

  it('never shows the URL of a database, which contains its password', () => {
    const shared = { ...config, databaseUrl: 'postgres://muster:canary@db/muster' };
    expect(announcement({ firstStart: undefined }, shared, surroundings)).toContain(
      '  data        PostgreSQL\n',
    );
  });

  it.each([
    ['/tmp/my data/admin-token', "'/tmp/my data/admin-token'"],
    ["/tmp/o'brien/admin-token", "'/tmp/o'\\''brien/admin-token'"],
    ['/tmp/$(reboot)/admin-token', "'/tmp/$(reboot)/admin-token'"],
  ])('quotes %s for a shell', (adminTokenFile, written) => {
    const text = announcement({ firstStart: { ...firstStart, adminTokenFile } }, config, surroundings);
    expect(text).toContain(`--with-token < ${written}\n`);
    expect(text).toContain(`$(cat ${written})`);
  });

  it('quotes an address for a shell, and writes the command unchanged', () => {
    const given = { url: 'http://[::1]:7400', command: 'node /srv/muster/bin/muster.mjs' };
    expect(announcement({ firstStart }, config, given)).toContain(
      "\n  node /srv/muster/bin/muster.mjs login --url 'http://[::1]:7400' --with-token < /var/lib/muster/admin-token\n",
    );
  });
});
