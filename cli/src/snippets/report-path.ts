/** The path for reports. Long texts are cut instead of refused, because a stock agent cannot cut them. */
export function reportPath(url: URL, agentID: string): string {
  return `${url.pathname.replace(/\/$/, '')}/v1/agents/${agentID}/errors?truncate=true&partial=true`;
}

/** The whole URL of that path. */
export function reportUrl(url: URL, agentID: string): string {
  return `${url.origin}${reportPath(url, agentID)}`;
}
