import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'tsdown';
import { root } from '../architecture/source-files.ts';

/** Bundles a program that imports the SDK into one module, as a browser or a worker loads it. */
export async function bundle(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bundle-'));
  try {
    const entry = join(folder, 'program.ts');
    await writeFile(entry, program.replaceAll("'@muster/client'", `'${root}/client/src/index.ts'`));
    await build({
      config: false,
      cwd: root,
      entry: { program: entry },
      outDir: join(folder, 'out'),
      tsconfig: 'tsconfig.base.json',
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      fixedExtension: false,
      minify: true,
      hash: false,
      dts: false,
      report: false,
      clean: false,
      logLevel: 'silent',
      deps: { onlyBundle: [] },
    });
    return await readFile(join(folder, 'out/program.js'), 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}
