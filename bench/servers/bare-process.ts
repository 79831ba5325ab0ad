import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../processes/worker-process.ts';
import type { RecordedAnswer } from './bare.ts';

answerQuestions({ listen });

async function listen({ status, headers, body }: RecordedAnswer): Promise<number> {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(status, headers);
      response.end(body);
      return;
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { error } = JSON.parse(text) as { error?: unknown }; // only looked at
      response.writeHead(typeof error === 'string' ? status : 422, headers);
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // it listens on TCP
}
