/** Removes what agents of a project were served as secrets, also lately, from what they report. */
export interface SecretRemover {
  remove(text: string): string;
  /** The same in a value that is written as JSON and read again. */
  removeFrom<Value>(value: Value): Value;
}

/** What the agents of each project were served as secrets. */
export interface ProjectSecrets {
  /** Undefined if the secrets must be read first. */
  recall(projectID: string): SecretRemover | undefined;
  find(projectID: string): Promise<SecretRemover>;
}
