import { CommandError } from '../../command-error.ts';

/** The port at which agents reach a core instance. */
export const defaultSitePort = 7410;

/** `HOST:PORT`, `[IPv6]:PORT` or a port. @throws CommandError that names --listen */
export function readSiteAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits = ''] = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) {
    throw new CommandError(
      'usage',
      `--listen is '${text}', but it takes HOST:PORT, such as 0.0.0.0:${defaultSitePort}.`,
    );
  }
  return { host: bracketed ?? plain ?? '127.0.0.1', port };
}
