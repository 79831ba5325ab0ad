import { describe, expect, it } from 'vitest';
import { filesBelow, readSource } from './source-files.ts';

type Versions = Readonly<Record<string, string>>;

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly optionalDependencies?: Versions;
}

interface Manifest {
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly overrides?: Versions;
}

const lockText = readSource('package-lock.json');
const lock = JSON.parse(lockText) as { packages: Readonly<Record<string, LockEntry>> }; // as npm writes it
const entries = Object.entries(lock.packages);

describe('package-lock.json', () => {
  it('holds every platform package that its entries name, so that npm ci works on each platform', () => {
    expect(entries.length).toBeGreaterThan(100);
    const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !isLocked(path, name))
        .map((name) => `${path} names ${name}, which is not in the lock`),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry, so that it works with any', () => {
    const hosts = entries.flatMap(([path, { resolved, link }]) =>
      resolved === undefined || link ? [] : [`${path}: ${resolved}`],
    );
    expect(hosts).toEqual([]);
    expect(lockText).not.toMatch(/registry|artifactory|nexus|verdaccio|\.tgz/i);
  });

  it('holds the digest of every package', () => {
    const unchecked = entries.filter(
      ([path, { integrity, link }]) => path.includes('node_modules/') && !link && integrity === undefined,
    );
    expect(unchecked.map(([path]) => path)).toEqual([]);
  });
});

describe.each(filesBelow('.', ['package.json']))('%s', (path) => {
  const manifest = JSON.parse(readSource(path)) as Manifest; // as npm reads it

  it('names exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides };
    const inexact = Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
    expect(inexact).toEqual([]);
  });
});

/** As Node resolves a package: below the package that names it, then in the folders above. */
function isLocked(path: string, name: string): boolean {
  if (`${path === '' ? '' : `${path}/`}node_modules/${name}` in lock.packages) return true;
  return path !== '' && isLocked(path.replace(/(^|\/)[^/]+$/, ''), name);
}
