import { createHash } from 'node:crypto';
import { isProblemCode, type OpenApiDocument, routes } from '@muster/contract';
import { refuseCredentialInQuery } from '@muster/http/credentials/presented-credentials';
import { compileQueryParser } from '@muster/http/requests/parse-query';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../foundation/refusal.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';
import { renderProblemPage } from './problem-pages.ts';
import { renderReference } from './render-reference.ts';

/** Three aligned rows. */
const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
<rect width="24" height="24" rx="5" fill="#2458c6"/>
<path d="M6 7.5h12M6 12h12M6 16.5h7" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/>
</svg>
`;

/** Allows only this service's own files: no other host, nothing inline, no framing. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const htmlMediaType = 'text/html; charset=utf-8';

/** Serves the reference at /docs and a page for each problem code at /errors/{code}. */
export function mountReferencePage(app: FastifyInstance, readDocument: () => OpenApiDocument): void {
  const docs = routes.getDocs.path;
  serveText(app, docs, htmlMediaType, () => renderReference(readDocument()));
  serveText(app, `${docs}/style.css`, 'text/css; charset=utf-8', () => pageStyle);
  serveText(app, `${docs}/page.js`, 'text/javascript; charset=utf-8', () => pageScript);
  serveText(app, `${docs}/icon.svg`, 'image/svg+xml; charset=utf-8', () => pageIcon);
  // Links of the page are relative, so that they also work behind a proxy that adds a path.
  app.get(`${docs}/`, (_request, reply) => reply.redirect('../docs', 308));
  app.get<{ Params: { code: string } }>('/errors/:code', (request, reply) => {
    refuseQuery(request);
    const { code } = request.params;
    if (!isProblemCode(code)) {
      throw new Refusal('route_not_found', {
        detail: `There is no error code '${code}'. See /docs#errors-by-code for every one.`,
      });
    }
    return reply.headers(commonHeaders).type(htmlMediaType).send(renderProblemPage(code, readDocument()));
  });
}

const commonHeaders = {
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
};

/** Renders the text at its first request, so that the start does not wait for it. */
function serveText(app: FastifyInstance, path: string, mediaType: string, makeText: () => string): void {
  let made: { readonly text: string; readonly etag: string } | undefined;
  app.get(path, (request, reply) => {
    refuseQuery(request);
    made ??= withEtag(makeText());
    reply.headers(commonHeaders).header('ETag', made.etag);
    if (request.headers['if-none-match'] === made.etag) return reply.code(304).send();
    return reply.type(mediaType).send(made.text);
  });
}

function withEtag(text: string) {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

const parseNoQuery = compileQueryParser(undefined);

/** The pages take no query, like routes of the contract without one. */
function refuseQuery(request: FastifyRequest): void {
  const query = request.query as Record<string, string>; // parsed by Fastify; the parser checks what it is
  refuseCredentialInQuery(query);
  parseNoQuery(query);
}
