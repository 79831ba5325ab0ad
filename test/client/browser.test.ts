import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../browser/launch-browser.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { bundle } from './bundle.ts';

let app: ListeningApp;
let browser: Browser;
let page: Page;
let code: string;
const complaints: string[] = [];

/** Runs in the page and in a worker, with the same expectations. */
const program = `
  import { createAgentError, createClient, getMe, listAgentErrors, MusterAnswerError, MusterError } from '@muster/client';

  globalThis.tryOut = async ({ url, agentID, projectToken, accessToken }) => {
    const agent = createClient({ url, credential: { projectToken } });
    const operator = createClient({ url, credential: { accessToken } });
    const texts = ['one', 'two', 'three', 'one'];
    const outcomes = [];
    for (const error of texts) outcomes.push((await createAgentError(agent, { agentID, body: { error } })).outcome);
    const listed = [];
    for await (const { error } of listAgentErrors(operator, { agentID, last: 1 })) listed.push(error);
    const refusal = await listAgentErrors(agent, { agentID }).first().catch((error) => error);
    const redirect = await getMe(createClient({ url: url + '/moved' })).catch((error) => error);
    const aborted = await getMe(agent, {}, { signal: AbortSignal.abort(new Error('left')) }).catch((error) => error);
    return {
      outcomes,
      listed,
      refusal: refusal instanceof MusterError && refusal.code,
      redirect: redirect instanceof MusterAnswerError && redirect.status,
      aborted: aborted.message,
      shown: JSON.stringify(operator),
    };
  };
`;

beforeAll(async () => {
  [app, browser, code] = await Promise.all([startListeningApp(), launchBrowser(), bundle(program)]);
  page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  const url = addressOf(app);
  // A page of the service's own origin, because the service allows no other origin.
  await page.route(`${url}/page`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>SDK</title>' }),
  );
  await page.route(`${url}/moved/**`, (route) =>
    route.fulfill({ status: 302, headers: { location: `${url}/v1/me` } }),
  );
  await page.goto(`${url}/page`);
});

afterAll(async () => {
  await browser?.close();
  await app?.test.close();
});

const inPage = (input: string): string => `
  import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })))
    .then(() => tryOut(${input}))
`;

const inWorker = (input: string): string => `
  new Promise((resolve, reject) => {
    const code = ${JSON.stringify(`${code}\nonmessage = ({ data }) => tryOut(data).then(postMessage);`)};
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(${input});
  })
`;

describe.each([
  ['a page', inPage],
  ['a worker', inWorker],
])('the SDK in %s', (_, run) => {
  it('reports, lists, gets refusals, follows no redirects, and can be aborted', async () => {
    const { id: agentID } = await app.test.registerAgent(app.project);
    const input = {
      url: addressOf(app),
      agentID,
      projectToken: app.project.token,
      accessToken: app.test.admin,
    };
    expect(await page.evaluate(run(JSON.stringify(input)))).toEqual({
      outcomes: ['created', 'created', 'created', 'ignored'],
      listed: ['three', 'two', 'one'],
      refusal: 'permission_denied',
      redirect: 0,
      aborted: 'left',
      shown: JSON.stringify({ url: input.url }),
    });
    expect(complaints).toEqual([]);
  });
});

function addressOf({ port }: ListeningApp): string {
  return `http://127.0.0.1:${port}`;
}
