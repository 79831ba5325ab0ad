import { routes } from '@muster/contract';
import { settings } from '@muster/server/config';
import { startVariables } from '@muster/server/start-flags';
import { describe, expect, it } from 'vitest';
import { readSource } from '../architecture/source-files.ts';
import { maxStopSeconds, readCompose, readImageSettings, variables } from './deployment-files.ts';

const { services, volumes } = readCompose();
const replicas = Object.entries(services).filter(([, { image }]) => image.startsWith('muster:'));
const dockerfile = readSource('deploy/Dockerfile');
const caddyfile = readSource('deploy/Caddyfile');

describe('deploy/docker-compose.yml', () => {
  it('runs two replicas, a load balancer and a database', () => {
    expect(replicas.map(([name]) => name)).toEqual(['muster-1', 'muster-2']);
    expect(Object.keys(services)).toEqual(['muster-1', 'muster-2', 'balancer', 'database']);
    expect(Object.keys(volumes)).toEqual(['database', 'certificates']);
  });

  it.each(replicas)(
    'gives %s settings that there are, and all that several replicas need',
    (_, { environment = {} }) => {
      expect(Object.keys(environment).filter((name) => !variables.includes(name))).toEqual([]);
      expect(Object.keys(environment)).toEqual(
        expect.arrayContaining([settings.databaseUrl.variable, settings.adminToken.variable]),
      );
    },
  );

  it.each(replicas)('passes every further setting to %s from one file', (_, service) => {
    expect(service).toMatchObject({ env_file: [{ path: 'muster.env', required: false }], mem_limit: '1g' });
  });

  it('holds no secret: it asks for both, and refuses to start without', () => {
    const { environment = {} } = services.database ?? {};
    const [[, first] = []] = replicas;
    expect(environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(first?.environment?.MUSTER_ADMIN_TOKEN).toMatch(/^\$\{MUSTER_ADMIN_TOKEN:\?/);
    expect(first?.environment?.DATABASE_URL).toMatch(/^\$\{DATABASE_URL:\?/);
  });

  it.each(replicas)('gives %s longer to stop than that takes', (_, { stop_grace_period = '0s' }) => {
    expect(Number(stop_grace_period.replace(/s$/, ''))).toBeGreaterThan(maxStopSeconds);
  });
});

describe('deploy/Caddyfile', () => {
  it('sends requests to every replica, on the port that the image listens on', () => {
    const [, upstreams = ''] = /reverse_proxy (.*) \{/.exec(caddyfile) ?? [];
    expect(upstreams.split(' ')).toEqual(replicas.map(([name]) => `${name}:${readImageSettings().PORT}`));
  });

  it('checks the readiness of each replica by an existing path', () => {
    expect(caddyfile).toContain(`health_uri ${routes.getReadiness.path}\n`);
  });

  it('listens on the port that the balancer publishes', () => {
    const [published = ''] = services.balancer?.ports ?? [];
    expect(caddyfile).toContain(`\n{$SITE_ADDRESS::${published.split(':').at(-1)}} {\n`);
  });
});

describe('deploy/Dockerfile', () => {
  it('uses existing settings, and listens on all addresses and the usual port', () => {
    const { NODE_ENV, ...image } = readImageSettings();
    expect(NODE_ENV).toBe('production');
    const known = [...variables, ...Object.keys(startVariables)];
    expect(Object.keys(image).filter((name) => !known.includes(name))).toEqual([]);
    expect(image).toMatchObject({ HOST: '0.0.0.0', PORT: String(settings.port.default) });
    expect(dockerfile).toContain(`\nEXPOSE ${settings.port.default}\n`);
  });

  it('keeps data in a volume that its user can write', () => {
    expect(dockerfile).toContain(`\nVOLUME ${readImageSettings().MUSTER_DATA_DIR}\n`);
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
  });

  it('checks its health by an existing path', () => {
    expect(dockerfile).toContain(`path: \`${routes.getLiveness.path}\``);
  });

  it('brings the manifest of every workspace before it installs', () => {
    const { workspaces } = JSON.parse(readSource('package.json')) as { workspaces: string[] }; // as npm reads it
    const [beforeInstall = '', ...after] = dockerfile.split('RUN npm ci --ignore-scripts\n');
    expect(after).toHaveLength(1);
    const missing = workspaces.filter(
      (name) => !beforeInstall.includes(`COPY ${name}/package.json ${name}/\n`),
    );
    expect(missing).toEqual([]);
  });

  it('includes in its context everything that it copies', () => {
    const ignored = readSource('deploy/Dockerfile.dockerignore').split('\n');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources = '']) =>
      sources.split(' ').map((source) => source.split('/')[0] ?? ''),
    );
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((source) => !ignored.includes(`!${source}`))).toEqual([]);
  });
});
