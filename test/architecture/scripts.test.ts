import { describe, expect, it } from 'vitest';
import { filesBelow, readSource } from './source-files.ts';

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
}

const { scripts = {} } = JSON.parse(readSource('package.json')) as Manifest; // as npm reads it
const documents = filesBelow('.', ['.md']).filter((path) => !path.startsWith('samples/'));

describe('scripts of package.json', () => {
  it('include all that the documents mention', () => {
    const named = documents.flatMap((path) =>
      [...readSource(path).matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(([text, run, short]) => ({
        path,
        text,
        name: run ?? short ?? '',
      })),
    );
    expect(named.filter(({ name }) => !(name in scripts))).toEqual([]);
  });

  it('run files that exist', () => {
    const present = filesBelow('scripts', ['.mjs']);
    const missing = Object.entries(scripts).flatMap(([name, command]) =>
      [...command.matchAll(/\bnode (scripts\/[\w./-]+)/g)]
        .filter(([, file = '']) => !present.includes(file))
        .map(([, file]) => `${name} runs ${file}, which is not there`),
    );
    expect(missing).toEqual([]);
  });
});
