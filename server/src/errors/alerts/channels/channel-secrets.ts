/** A secret with which messages of a webhook are signed. */
export interface SigningSecret {
  /** `whsec_` and base64 (Standard Webhooks). */
  readonly value: string;
  /** Milliseconds; null: it is the current one. */
  readonly endsAt: number | null;
}

/** What a channel is reached with. Only in memory while it is used; stored encrypted. */
export interface ChannelSecrets {
  readonly url?: string;
  readonly key?: string;
  readonly signing?: readonly SigningSecret[];
}

/** Removes the secrets of a channel from a text that a service answered. */
export function withoutSecrets(text: string, { url, key, signing = [] }: ChannelSecrets): string {
  const parts = url === undefined ? [] : [url, ...partsOf(url)];
  const values = [...parts, key, ...signing.map(({ value }) => value)].filter((one) => one !== undefined);
  // The longest first, so that no part of it is left.
  const longest = values.filter((one) => one.length >= minSecretLength).sort((a, b) => b.length - a.length);
  let safe = text;
  for (const value of longest) {
    for (const form of [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]) {
      safe = safe.replaceAll(form, '[secret]');
    }
  }
  return safe;
}

/** Shorter texts are no secrets, and would be found everywhere. */
const minSecretLength = 8;

/** The path and its segments, and the values of the query: services repeat them alone. */
function partsOf(text: string): string[] {
  const { pathname, search, searchParams } = new URL(text);
  return [pathname + search, pathname, ...pathname.split('/'), ...searchParams.values()];
}
