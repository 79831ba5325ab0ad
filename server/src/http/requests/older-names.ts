const olderPath = /^(\/v1\/(?:projects\/[^/?]+\/)?)aggregators(?=[/?]|$)/;

/** The URL of a request with the present name of what it asks for: core instances were called aggregators. */
export function withPresentNames(url: string): string {
  return url.includes('/aggregators') ? url.replace(olderPath, '$1core_instances') : url;
}
