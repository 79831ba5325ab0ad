import { describe, expect, it } from 'vitest';
import { readSource } from '../architecture/source-files.ts';
import { readImageSettings, startFlags } from './deployment-files.ts';

const { scripts } = JSON.parse(readSource('package.json')) as { scripts: { start: string } }; // as npm reads it

describe('what is given to the service at its start', () => {
  it('is taken by this Node', () => {
    expect(process.allowedNodeEnvironmentFlags.has(startFlags.NODE_OPTIONS.replace(/=.*/, ''))).toBe(true);
  });

  it('is the same in the image and by npm start', () => {
    expect(readImageSettings()).toMatchObject(startFlags);
    expect(scripts.start).toBe(`node ${startFlags.NODE_OPTIONS} scripts/start.mjs`);
  });
});
