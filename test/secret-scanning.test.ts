import {
  formatInvitationCode,
  formatProjectToken,
  formatSignInSecret,
  formatToken,
  leakPattern,
  tokenPatterns,
} from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { readSource } from './architecture/source-files.ts';

const page = readSource('docs/secret-scanning.md');
const bytes = (value: number) => new Uint8Array(32).fill(value);
const payload = {
  projectID: '0192f0a0-0000-7000-8000-000000000001',
  tokenID: '0192f0a0-0000-7000-8000-000000000002',
};

const credentials = [1, 2, 254].flatMap((value) => [
  formatProjectToken(payload, bytes(value)),
  formatToken('access', bytes(value)),
  formatToken('agent', bytes(value)),
  formatToken('core_instance', bytes(value)),
  formatInvitationCode(bytes(value)),
  formatSignInSecret('session', bytes(value)),
  formatSignInSecret('signInLink', bytes(value)),
]);

/** The regular expressions of a kind of block, as the scanner that it is for reads them. */
function patternsIn(language: string, value: RegExp): string[] {
  const blocks = page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'));
  return [...blocks].flatMap(([, block = '']) => [...block.matchAll(value)].map(([, text = '']) => text));
}

/** Those of gitleaks are RE2 between triple quotes of TOML; those of TruffleHog RE2 between single quotes of YAML, which have no escapes but `''`. */
const published = [
  ...patternsIn('text', /^(\(\?:\[.*)$/gm),
  ...patternsIn('toml', /^regex = '''(.*)'''$/gm),
  ...patternsIn('yaml', /^ +credential: '(.*)'$/gm),
];

describe('the patterns of docs/secret-scanning.md', () => {
  it('are the one of the contract, for each scanner', () => {
    expect(published).toEqual([leakPattern, leakPattern, `(${leakPattern})`]);
  });

  it.each(published)('%s finds every credential as a whole', (pattern) => {
    for (const one of credentials) {
      const [found] = new RegExp(pattern).exec(`<a href="https://x/?t=${one}">`) ?? [];
      expect(found).toBe(one);
    }
  });

  it.each(published)('%s finds no near miss', (pattern) => {
    for (const one of credentials) {
      for (const miss of [
        one.replace('mst_', 'mst-'),
        one.slice(0, -1),
        one.toUpperCase(),
        `${one.slice(0, -10)}…${one.slice(-4)}`,
        one.replace(/mst_(.)_/, 'mst_x_'),
      ]) {
        expect(new RegExp(pattern).exec(miss)).toBeNull();
      }
    }
  });

  it.each(published)(
    '%s uses only syntax that ECMAScript, RE2, PCRE and Hyperscan have in common',
    (pattern) => {
      // Classes, counted repetition, alternatives, groups and escaped dots; neither look-around nor back-references.
      expect(pattern.replaceAll(/\(\?:|\[[\w-]+\]|\{\d+\}|\\\.|[a-z_|()]/g, '')).toBe('');
    },
  );

  it('of the contract cover each kind of credential', () => {
    for (const [kind, pattern] of Object.entries(tokenPatterns)) {
      expect([kind, credentials.filter((one) => new RegExp(`^${pattern}$`).test(one)).length]).toEqual([
        kind,
        3,
      ]);
    }
  });
});
