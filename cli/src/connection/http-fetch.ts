import type { IncomingMessage } from 'node:http';
import type { ClientOptions } from '@muster/client';

type Fetch = NonNullable<ClientOptions['fetch']>;
type FetchInit = Parameters<Fetch>[1];

/**
 * What the SDK needs of fetch. To load the fetch of Node.js takes more processor time than all the rest of a short command.
 */
export const httpFetch: Fetch = async (url, init) => {
  const answer = await send(url, init);
  const { statusCode = 0, headers } = answer;
  return {
    status: statusCode,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    text: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      return new TextDecoder().decode(Buffer.concat(chunks));
    },
    body: { getReader: () => readerOf(answer) },
  };
};

async function send(url: string, { method, headers, body, signal }: FetchInit): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal }, resolve);
    sent.on('error', (error: Error & { readonly rawPacket?: Buffer }) => {
      const { rawPacket } = error;
      // Under the name that fetch gives it.
      reject(rawPacket === undefined ? error : Object.assign(error, { data: rawPacket.toString('latin1') }));
    });
    sent.end(body);
  });
}

function readerOf(answer: IncomingMessage) {
  const chunks: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]();
  return {
    read: async () => {
      const { done, value } = await chunks.next();
      return done === true ? { done: true } : { done: false, value };
    },
    cancel: async () => {
      answer.destroy();
    },
  };
}
