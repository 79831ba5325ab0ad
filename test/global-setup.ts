import { createRunFolder } from './run-folder.ts';
import { serveSupplies } from './serve-supplies.ts';

/** Costs next to nothing: databases are made for the first test that asks for one, and only then are their modules loaded. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = createRunFolder();
  const undo: (() => Promise<void>)[] = [];
  const supplies = await serveSupplies(folder.path, {
    sqlite: async () => (await import('./make-databases.ts')).makeSqliteTemplate(folder.path),
    postgres: async () => (await import('./make-databases.ts')).makePostgres(folder.path, undo),
    browser: async () => (await import('./browser/serve-browser.ts')).serveBrowser(undo),
  });
  return async () => {
    supplies.close();
    for (const step of undo.toReversed()) await step();
    folder.remove();
  };
}
