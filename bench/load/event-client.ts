import { request } from 'node:http';
import type { Closing } from '../processes/closing.ts';
import type { Api } from '../servers/api.ts';

/** Opens a stream of the events of a project; resolves when it is open. `onText` gets what arrives. */
export function openEvents(
  closing: Closing,
  { url, authorization }: Api,
  projectID: string,
  onText: (text: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(`/v1/projects/${projectID}/events`, url),
      // A connection for each.
      { agent: false, headers: { authorization } },
      (response) => {
        response.setEncoding('utf8').on('data', onText);
        response.on('error', () => undefined);
        if (response.statusCode === 200) resolve();
        else reject(new Error(`A stream of events was answered with ${response.statusCode}.`));
      },
    );
    sent.on('error', reject);
    sent.end();
    closing.add(() => {
      sent.destroy();
    });
  });
}
