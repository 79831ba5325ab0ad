import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainOldNode } from './ensure-installed.mjs';
import { countPackages, forgetInstallation, isInstalled, markInstalled } from './installation.mjs';

const rootManifest = {
  workspaces: ['server'],
  scripts: { start: 'node start.mjs' },
  devDependencies: { tool: '1.0.0' },
};
const serverManifest = { name: 'server', dependencies: { fastify: '5.0.0' } };
const packages = {
  '': rootManifest,
  server: serverManifest,
  'node_modules/server': { resolved: 'server', link: true },
  'node_modules/fastify': { version: '5.0.0', integrity: 'sha512-a' },
  'node_modules/tool': { version: '1.0.0', integrity: 'sha512-b', dev: true },
  'node_modules/tool-elsewhere': { version: '1.0.0', optional: true, os: ['an-os-of-its-own'] },
  'node_modules/tool-here': { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] },
};

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-installation-'));
  mkdirSync(join(root, 'server'));
  write('package.json', rootManifest);
  write('server/package.json', serverManifest);
  write('package-lock.json', { packages });
});

afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, content: unknown): void {
  writeFileSync(join(root, file), JSON.stringify(content));
}

/** Creates the files that npm creates. */
function installByHand(): void {
  const { '': _root, 'node_modules/tool-elsewhere': _elsewhere, ...installed } = packages;
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  write('node_modules/.package-lock.json', { packages: installed });
}

function markAfterInstall(): void {
  mkdirSync(join(root, 'node_modules'));
  markInstalled(root);
}

describe('isInstalled', () => {
  it('is false without node_modules', () => {
    expect(isInstalled(root)).toBe(false);
  });

  it('is true after an install that was marked', () => {
    markAfterInstall();
    expect(isInstalled(root)).toBe(true);
  });

  it('stays true when only scripts of a package.json change', () => {
    markAfterInstall();
    write('package.json', { ...rootManifest, scripts: { start: 'node other.mjs' } });
    expect(isInstalled(root)).toBe(true);
  });

  it.each([
    ['package-lock.json', { packages: { ...packages, 'node_modules/new': { version: '1.0.0' } } }],
    ['package.json', { ...rootManifest, devDependencies: { tool: '2.0.0' } }],
    ['package.json', { ...rootManifest, allowScripts: { tool: true } }],
    ['server/package.json', { ...serverManifest, dependencies: { fastify: '5.0.1' } }],
  ])('turns false when dependencies change in %s', (file, content) => {
    markAfterInstall();
    write(file, content);
    expect(isInstalled(root)).toBe(false);
  });

  it('is false once an install has begun, until it is marked', () => {
    installByHand();
    markInstalled(root);
    forgetInstallation(root);
    expect(isInstalled(root)).toBe(false);
  });
});

describe('isInstalled after npm install by hand', () => {
  it('is true if npm installed the lock, and is remembered', () => {
    installByHand();
    expect(isInstalled(root)).toBe(true);
    expect(readFileSync(join(root, 'node_modules/.muster-installed'), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is false when a package has another version than the lock says', () => {
    installByHand();
    const fastify = { version: '5.0.1', integrity: 'sha512-c' };
    write('package-lock.json', { packages: { ...packages, 'node_modules/fastify': fastify } });
    expect(isInstalled(root)).toBe(false);
  });

  it('is false when a package is missing', () => {
    installByHand();
    write('package-lock.json', { packages: { ...packages, 'node_modules/new': { version: '1.0.0' } } });
    expect(isInstalled(root)).toBe(false);
  });

  it('is false when a package is installed that the lock no longer has', () => {
    installByHand();
    const { 'node_modules/tool': _tool, ...fewer } = packages;
    write('package-lock.json', { packages: fewer });
    expect(isInstalled(root)).toBe(false);
  });

  it('is false when the binaries are those of another platform', () => {
    const { 'node_modules/tool-here': _here, ...installed } = packages;
    mkdirSync(join(root, 'node_modules'));
    write('node_modules/.package-lock.json', { packages: installed });
    expect(isInstalled(root)).toBe(false);
  });

  it('is false when a package.json requires a package that is not in the lock', () => {
    installByHand();
    write('server/package.json', { ...serverManifest, dependencies: { fastify: '5.0.0', pino: '10.0.0' } });
    expect(isInstalled(root)).toBe(false);
  });
});

describe('countPackages', () => {
  it('counts the packages for this machine', () => {
    const { '': _root, server: _server, ...installable } = packages;
    write('package-lock.json', { packages: installable });
    expect(countPackages(root)).toBe(3);
  });
});

describe('explainOldNode', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.11.1'])('accepts %s', (version) => {
    expect(explainOldNode(version, '>=20.19.0')).toBeUndefined();
  });

  it.each(['18.20.8', '20.18.3', '20.9.0'])('refuses %s', (version) => {
    expect(explainOldNode(version, '>=20.19.0')).toBe(
      [
        `Muster needs Node.js 20.19.0 or newer, and this is Node.js ${version}.`,
        'Install the current long-term support version from https://nodejs.org (or with `nvm install --lts`),',
        'open a new terminal and run the same command again.',
      ].join('\n'),
    );
  });
});
