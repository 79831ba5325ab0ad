import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { docsTables } from './docs-tables.ts';
import { updateManPages } from './update-man-pages.ts';
import { updateProvisioningSchema } from './update-provisioning-schema.ts';
import { root } from './workspace.mjs';

const generatedPart = /(<!-- generated:(\S+) -->\n)(?:(?!<!-- generated:)[\s\S])*?(<!-- \/generated -->)/g;

/**
 * Fills the parts between `<!-- generated:NAME -->` and `<!-- /generated -->` in the documentation, and writes
 * the manual pages and the schema of provisioning files. With `--check` it changes nothing, lists the files that are not up to date and exits with 1.
 */
const isCheck = process.argv.includes('--check');
const staleMarkdown = markdownFiles().filter((file) => {
  const before = readFileSync(join(root, file), 'utf8');
  const after = fill(file, before);
  if (after !== before && !isCheck) writeFileSync(join(root, file), after);
  return after !== before;
});

const stale = [...staleMarkdown, ...updateManPages({ isCheck }), ...updateProvisioningSchema({ isCheck })];
for (const file of stale)
  console.log(isCheck ? `${file} is not up to date: run 'npm run docs'.` : `${file} updated`);
if (isCheck && stale.length > 0) process.exitCode = 1;

function markdownFiles() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const files = docs.map((file) => `docs/${file}`).sort();
  return [...files, ...readdirSync(root)].filter((file) => file.endsWith('.md'));
}

/**
 * @param {string} file
 * @param {string} text
 */
function fill(file, text) {
  const opened = text.match(/<!-- generated:/g)?.length ?? 0;
  const parts = [...text.matchAll(generatedPart)];
  if (parts.length !== opened)
    throw new Error(`${file}: a <!-- generated:… --> has no <!-- /generated --> after it`);
  return text.replace(generatedPart, (_, start, name, end) => `${start}\n${generate(file, name)}\n\n${end}`);
}

/**
 * @param {string} file
 * @param {string} name
 */
function generate(file, name) {
  const table = docsTables[name];
  if (table !== undefined) return table();
  throw new Error(`${file}: nothing generates '${name}'; there are ${Object.keys(docsTables).join(', ')}`);
}
