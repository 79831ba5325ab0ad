import type { OpenApiDocument } from '@muster/contract';
import fastify from 'fastify';
import { mountReferencePage } from '../pages/reference-page/reference-page.ts';

export interface ServedPage {
  readonly address: string;
  close(): Promise<void>;
}

/** Serves the reference of any document, alone on a free port. */
export async function serveReferencePage(document: OpenApiDocument): Promise<ServedPage> {
  const app = fastify();
  mountReferencePage(app, () => document);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return { address, close: () => app.close() };
}
