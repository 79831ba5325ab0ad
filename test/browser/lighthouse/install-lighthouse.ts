import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installIntoCache } from '../install-into-cache.ts';

/** The newest that runs on Node.js 20. */
const version = '12.8.2';

interface Audit {
  readonly id: string;
  readonly title: string;
  /** Null: it says nothing about this page. */
  readonly score: number | null;
  readonly displayValue?: string;
}

interface Category {
  readonly score: number | null;
  readonly auditRefs: readonly { readonly id: string; readonly weight: number }[];
}

/** What this project reads of a report. */
export interface LighthouseReport {
  readonly categories: Readonly<Record<string, Category>>;
  readonly audits: Readonly<Record<string, Audit>>;
}

export interface Lighthouse {
  run(url: string, flags: object, config: object | undefined): Promise<LighthouseReport>;
  readonly desktopConfig: object;
}

/** It has 190 packages, among them one that reports errors of Lighthouse, which is off. */
export async function installLighthouse(): Promise<Lighthouse> {
  const main = join(await installIntoCache('lighthouse', version), 'core/index.js');
  const { default: lighthouse, desktopConfig } = (await import(pathToFileURL(main).href)) as {
    default: (url: string, flags: object, config?: object) => Promise<{ lhr: LighthouseReport } | undefined>;
    desktopConfig: object;
  }; // as its index.d.ts says
  return {
    desktopConfig,
    async run(url, flags, config) {
      const result = await lighthouse(url, flags, config);
      if (result === undefined) throw new Error(`Lighthouse has no result for ${url}.`);
      return result.lhr;
    },
  };
}
