/** The proxy for a URL, as the usual variables name it; undefined: none. Lower-case names win, as in curl. @throws TypeError */
export function chooseProxy(url: URL, env: NodeJS.ProcessEnv): URL | undefined {
  if (isExcepted(url, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const named =
    url.protocol === 'https:'
      ? (env.https_proxy ?? env.HTTPS_PROXY ?? env.all_proxy ?? env.ALL_PROXY)
      : (env.http_proxy ?? env.HTTP_PROXY ?? env.all_proxy ?? env.ALL_PROXY);
  if (named === undefined || named === '') return undefined;
  const proxy = new URL(named.includes('://') ? named : `http://${named}`);
  if (proxy.protocol === 'http:') return proxy;
  throw new TypeError(
    `The proxy ${proxy.protocol}//${proxy.host} cannot be used: only proxies that are reached by http:// are supported.`,
  );
}

/** `example.com` and `.example.com` also mean the hosts below it; a port limits an entry to it. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (entryPort !== undefined && entryPort !== ownPort) return false;
      const bare = name.replace(/^\*?\./, '');
      return hostname === bare || hostname.endsWith(`.${bare}`);
    });
}
