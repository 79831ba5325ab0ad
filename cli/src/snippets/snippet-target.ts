/** Whose errors a snippet reports, and where to. The token is left to the environment. */
export interface SnippetTarget {
  readonly url: URL;
  readonly agentID: string;
  readonly name: string;
  readonly machineID: string;
}
