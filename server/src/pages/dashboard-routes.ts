import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routeNotFound } from '../foundation/http/answers/reply-with-problem.ts';
import type { Admitter } from '../foundation/http/authentication/admitter.ts';
import type { RandomBytes } from '../foundation/secret.ts';
import { DashboardFiles } from './dashboard-files.ts';
import { redirect, rootOf, sendPage, wantsPage } from './page-routes.ts';
import { readReturnPath } from './return-path.ts';
import { renderMessage } from './sign-in-page.ts';
import { findUser } from './sign-in-routes.ts';

export interface DashboardRoutesOptions {
  readonly admitter: Admitter;
  readonly randomBytes: RandomBytes;
  /** The folder of the built dashboard. Undefined, or not there: the pages say how to build it. */
  readonly directory: string | undefined;
}

/** What the browser's address may begin with. None of it begins a path of the API or of another page. */
const pages = ['/', '/projects', '/projects/*', '/account', '/account/*'] as const;

/**
 * Serves the dashboard: one page for all of its addresses, and its files, whose names change with their content. Programs get the 404 of a missing
 * route.
 */
export function mountDashboardRoutes(app: FastifyInstance, options: DashboardRoutesOptions): void {
  const { admitter, randomBytes, directory } = options;
  let files: DashboardFiles | undefined;
  // At the first request, so that the start does not wait for it.
  const readFiles = () => {
    if (directory !== undefined) files ??= DashboardFiles.read(directory);
    return files;
  };

  for (const path of pages) {
    app.get(path, async (request, reply) => {
      if (!wantsPage(request)) throw routeNotFound(request);
      if ((await findUser(admitter, request)) === undefined) return redirect(reply, signInFor(request));
      const built = readFiles();
      if (built === undefined)
        return sendPage(reply, 404, renderMessage({ root: rootOf(request), ...notBuilt }));
      const nonce = Buffer.from(randomBytes(16)).toString('base64');
      reply.headers({ 'Content-Security-Policy': securityPolicy(nonce), 'Cache-Control': 'no-store' });
      return sendPage(reply, 200, fill(built.page, { base: rootOf(request) || './', nonce }));
    });
  }

  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) => {
    const accepted = request.headers['accept-encoding'];
    const file = readFiles()?.find(request.params.name, String(accepted ?? ''));
    if (file === undefined) throw routeNotFound(request);
    reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' });
    if (file.encoding !== undefined) reply.header('Content-Encoding', file.encoding);
    return reply.type(file.mediaType).send(file.bytes);
  });
}

const notBuilt = {
  title: 'The dashboard is not built',
  text: 'This copy of Muster was started without its dashboard. Stop it, run: npm run build, and start it again. The command line and the API work without it.',
};

/**
 * Only this service's own files. The nonce is for styles that the component library writes while it runs; scripts get none. `base-uri`: the page names
 * its root, because its address has any depth.
 */
function securityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function fill(page: string, { base, nonce }: { readonly base: string; readonly nonce: string }): string {
  return page.replaceAll('%BASE%', base).replaceAll('%NONCE%', nonce);
}

/** The sign-in page, which leads back to the address that was asked for. */
function signInFor(request: FastifyRequest): string {
  const root = rootOf(request) || './';
  const returnTo = readReturnPath(request.url);
  return returnTo === '/' ? `${root}sign_in` : `${root}sign_in?return_to=${encodeURIComponent(returnTo)}`;
}
