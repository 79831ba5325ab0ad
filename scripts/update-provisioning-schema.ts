import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProvisionFile } from '@muster/contract';
import { root } from './workspace.mjs';

const file = 'docs/provisioning.schema.json';

/** Brings the JSON Schema of provisioning files up to date, or with `isCheck` only looks. Returns the file if it was not. */
export function updateProvisioningSchema({ isCheck }: { readonly isCheck: boolean }): string[] {
  const path = join(root, file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Muster provisioning file',
    ...ProvisionFile,
  };
  const after = `${JSON.stringify(schema, undefined, 2)}\n`;
  if (before === after) return [];
  if (!isCheck) writeFileSync(path, after);
  return [file];
}
