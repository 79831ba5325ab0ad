/** The agent whose errors a snippet reports, and the server. The token comes from the environment. */
export interface SnippetTarget {
  readonly url: URL;
  readonly agentID: string;
  readonly name: string;
  readonly machineID: string;
}
