import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  type Draft,
  forgetDraft,
  hasSameFiles,
  keepDraft,
  readDraft,
  textOf,
  withText,
} from './draft.ts';

const parsers = { name: 'parsers.conf', contents: btoa('[PARSER]\n') };
const draft: Draft = {
  fromID: '0196c4d0-0000-7000-8000-000000000001',
  newestNumber: 41,
  rawConfig: '[INPUT]\n    name cpu\n',
  configFormat: 'classic',
  files: [parsers],
  note: ' ',
};

class Storage {
  readonly kept = new Map<string, string>();
  readonly getItem = (key: string) => this.kept.get(key) ?? null;
  readonly setItem = (key: string, value: string) => {
    if (value.length > 1_000) throw new Error('QuotaExceededError');
    this.kept.set(key, value);
  };
  readonly removeItem = (key: string) => void this.kept.delete(key);
}

describe('a draft', () => {
  it('is kept for its fleet until it is forgotten', () => {
    const storage = new Storage();
    keepDraft(storage, 'one', draft);
    expect(readDraft(storage, 'one')).toEqual(draft);
    expect(readDraft(storage, 'other')).toBeUndefined();
    forgetDraft(storage, 'one');
    expect(readDraft(storage, 'one')).toBeUndefined();
  });

  it.each(['', '{', 'null', '[]', '{"rawConfig":1}', '{"fromID":null,"rawConfig":"","configFormat":"toml"}'])(
    'is not read from %j',
    (text) => {
      const storage = new Storage();
      storage.kept.set('muster.draft.one', text);
      expect(readDraft(storage, 'one')).toBeUndefined();
    },
  );

  it('that has no room takes the older one with it', () => {
    const storage = new Storage();
    keepDraft(storage, 'one', draft);
    keepDraft(storage, 'one', { ...draft, rawConfig: 'x'.repeat(2_000) });
    expect(readDraft(storage, 'one')).toBeUndefined();
  });

  it('sends its files only if they are others', () => {
    expect(bodyOf(draft, [parsers], false)).toEqual({
      rawConfig: draft.rawConfig,
      configFormat: 'classic',
    });
    const files = withText(draft.files, 'parsers.conf', '[PARSER]\n    name ä\n');
    expect(bodyOf({ ...draft, files, note: ' Why ' }, [parsers], true)).toEqual({
      rawConfig: draft.rawConfig,
      configFormat: 'classic',
      files,
      note: 'Why',
      skipConfigValidation: true,
    });
    expect(files.map(textOf)).toEqual(['[PARSER]\n    name ä\n']);
  });

  it('without a file that the fleet has is another one', () => {
    expect(hasSameFiles([], [parsers])).toBe(false);
    expect(hasSameFiles([parsers], [parsers])).toBe(true);
    expect(hasSameFiles([{ ...parsers, name: 'other.conf' }], [parsers])).toBe(false);
  });
});

it('a file that is no text has none', () => {
  expect(textOf({ name: 'data.bin', contents: btoa('\xff\xfe') })).toBeUndefined();
});
