import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateClient, generatedFolder } from './sdk/generated-files.ts';
import { root } from './workspace.mjs';

/** Writes the generated part of the SDK, from the OpenAPI document. */
const folder = join(root, generatedFolder);
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(await generateClient())) {
  const file = join(folder, name);
  if (text === read(file)) continue;
  writeFileSync(file, text);
  console.log(`${generatedFolder}/${name} updated`);
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
