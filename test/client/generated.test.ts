import { describe, expect, it } from 'vitest';
import { generateClient, generatedFolder } from '../../scripts/sdk/generated-files.ts';
import { filesBelow, readSource } from '../architecture/source-files.ts';

describe('the generated part of the SDK', () => {
  it("matches the contract: if it does not, run 'npm run client'", async () => {
    const files = await generateClient();
    const committed = Object.keys(files).map((name) => [name, readSource(`${generatedFolder}/${name}`)]);
    expect(Object.fromEntries(committed)).toEqual(files);
  });

  it('is the only content of its folder', async () => {
    const names = Object.keys(await generateClient()).map((name) => `${generatedFolder}/${name}`);
    expect(filesBelow(generatedFolder, ['']).sort()).toEqual(names.sort());
  });
});
