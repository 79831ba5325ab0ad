import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A built file of the dashboard, as the build compressed it. */
interface DashboardFile {
  readonly mediaType: string;
  readonly gzip: Buffer;
  readonly br: Buffer;
}

/** A file in an encoding that the browser accepts. */
export interface EncodedFile {
  readonly mediaType: string;
  /** Undefined: the file is sent as it is. */
  readonly encoding: 'br' | 'gzip' | undefined;
  readonly bytes: Buffer;
}

/**
 * The built dashboard. It is read once and kept in memory, so that its page and its files always belong to the same build, and no request reads a path
 * that a caller chose.
 */
export class DashboardFiles {
  /** The page with its placeholders. */
  readonly page: string;
  readonly #assets: ReadonlyMap<string, DashboardFile>;
  /** Unpacked once, because strangers may ask for them as often as they like. */
  readonly #unpacked = new Map<string, Buffer>();

  private constructor(page: string, assets: ReadonlyMap<string, DashboardFile>) {
    this.page = page;
    this.#assets = assets;
  }

  /** Undefined if the dashboard is not built. */
  static read(directory: string): DashboardFiles | undefined {
    const page = join(directory, 'index.html');
    const folder = join(directory, 'assets');
    if (!existsSync(page) || !existsSync(folder)) return undefined;
    const assets = readdirSync(folder)
      .filter((file) => file.endsWith('.br'))
      .map((file) => file.slice(0, -'.br'.length))
      .map((name) => [name, readAsset(folder, name)] as const);
    return new DashboardFiles(readFileSync(page, 'utf8'), new Map(assets));
  }

  find(name: string, acceptedEncodings: string): EncodedFile | undefined {
    const file = this.#assets.get(name);
    if (file === undefined) return undefined;
    const { mediaType, br, gzip } = file;
    if (accepts(acceptedEncodings, 'br')) return { mediaType, encoding: 'br', bytes: br };
    if (accepts(acceptedEncodings, 'gzip')) return { mediaType, encoding: 'gzip', bytes: gzip };
    const bytes = this.#unpacked.get(name) ?? gunzipSync(gzip);
    this.#unpacked.set(name, bytes);
    return { mediaType, encoding: undefined, bytes };
  }
}

function readAsset(folder: string, name: string): DashboardFile {
  const mediaType = mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const path = join(folder, name);
  return { mediaType, gzip: readFileSync(`${path}.gz`), br: readFileSync(`${path}.br`) };
}

const mediaTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** RFC 9110 section 12.5.3, for the forms that browsers send. */
function accepts(acceptedEncodings: string, encoding: string): boolean {
  return acceptedEncodings.split(',').some((item) => {
    const [name = '', weight = ''] = item.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !/^q=0(\.0*)?$/.test(weight);
  });
}
