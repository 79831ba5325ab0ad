import { quoteForShell } from '@muster/contract';

/** What starts a site on its host. Undefined for a name with characters that do something in a terminal. */
export function installCommand(name: string, url: URL): string | undefined {
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return undefined;
  return `muster core-instance install --url ${quoteForShell(url.href)} --name ${quoteForShell(name)}`;
}
