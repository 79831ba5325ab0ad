/**
 * The address of the service, with a slash at its end. The page names it in its <base>, because a proxy in between may add a path. Read once: the
 * address of the page changes with every screen.
 */
export const rootURL = new URL('.', document.baseURI);
