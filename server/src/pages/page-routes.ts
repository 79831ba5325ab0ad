import { problems } from '@muster/contract';
import { refuseCredentialInQuery } from '@muster/http/credentials/presented-credentials';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { beginRefusal, type IsDatabaseFailure } from '../foundation/http/answers/reply-with-problem.ts';
import type { Root } from './page-layout.ts';
import { pageStyle } from './page-style.ts';
import { renderMessage } from './sign-in-page.ts';

const htmlMediaType = 'text/html; charset=utf-8';

/**
 * Only this service's own files, nothing inline, no framing. `same-origin`: with `no-referrer`, browsers send `Origin: null` with forms, and no page
 * of ours has a secret in its address.
 */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/** Mounts pages for people, with what all of them share: headers, forms, and refusals that people can read. */
export function mountPages(
  app: FastifyInstance,
  isDatabaseFailure: IsDatabaseFailure,
  mount: (scope: FastifyInstance) => void,
): void {
  app.register(async (scope) => {
    prepare(scope, isDatabaseFailure);
    mount(scope);
  });
}

function prepare(scope: FastifyInstance, isDatabaseFailure: IsDatabaseFailure): void {
  const answerProgram = scope.errorHandler;
  scope.addHook('onRequest', (request, reply, done) => {
    reply.headers(pageHeaders);
    try {
      refuseCredentialInQuery(request.query as Record<string, unknown>); // parsed by Fastify
      done();
    } catch (error) {
      done(error as Error); // a Refusal
    }
  });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  scope.setErrorHandler((error, request, reply) => {
    if (!wantsPage(request)) {
      answerProgram(error as FastifyError, request, reply);
      return;
    }
    const refusal = beginRefusal(error, request, reply, isDatabaseFailure);
    void sendPage(
      reply,
      reply.statusCode,
      renderMessage({
        root: rootOf(request),
        title: problems[refusal.code].title,
        text: refusal.detail,
        requestID: request.id,
      }),
    );
  });
  scope.get('/sign_in/style.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(pageStyle));
}

const maxFormBytes = 16 * 1024;

export function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).type(htmlMediaType).send(page);
}

/** True for a browser that opens a page, and not for a program. */
export function wantsPage({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('text/html');
}

/** 303: the next request is a GET, whatever this one was. */
export function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply.redirect(location, 303);
}

/** A field of a form. */
export function fieldOf({ body }: FastifyRequest, name: string): string {
  return body instanceof URLSearchParams ? (body.get(name) ?? '') : '';
}

export function rootOf({ url }: FastifyRequest): Root {
  const [path = ''] = url.split('?', 1);
  const depth = path.split('/').length - 2;
  return depth <= 0 ? '' : `../${'../'.repeat(depth - 1)}`;
}
