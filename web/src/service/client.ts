import { type Client, createClient } from '@muster/client';
import { rootURL } from './root-url.ts';

/** Calls the service with the session of the browser, whose cookie no script can read. */
export const client: Client = createClient({
  url: rootURL.href,
  // A person waits: the screen says sooner what is wrong, and offers to try again.
  retry: { attempts: 3 },
  timeoutMilliseconds: 30_000,
});
