/** Where an agent reports: cut instead of refused, since a stock agent cuts nothing. */
export function reportPath(url: URL, agentID: string): string {
  return `${url.pathname.replace(/\/$/, '')}/v1/agents/${agentID}/errors?truncate=true`;
}

/** The same as a whole address. */
export function reportUrl(url: URL, agentID: string): string {
  return `${url.origin}${reportPath(url, agentID)}`;
}
