import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runBundler } from './build.mjs';

it('fails if a package of the workspace is not installed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-build-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const entry = join(folder, 'entry.ts');
  writeFileSync(entry, "import { missing } from '@muster/missing';\nmissing();\n");
  await expect(runBundler({ entries: { entry } }, join(folder, 'dist'))).rejects.toThrow(
    "Could not resolve '@muster/missing'",
  );
});
