/** Options from the command line and the environment. */
export interface ReportOptions {
  /**
   * Finds the server and the token. It reads files, so it is called once the agent runs.
   *
   * @throws Error that says what is missing; its `mend`, if it has one, says what to do, a line each
   */
  readonly findService: () => Promise<FoundService>;
  readonly stateDirectory: string;
  readonly name: string;
  /** Default: the name of the program. */
  readonly type: string | undefined;
  readonly instance: string | undefined;
  /** Default: made from that of the host. */
  readonly machineID: string | undefined;
  /** Default: those in the command line of the agent. */
  readonly configFiles: readonly string[] | undefined;
  /** Files that the agent logs to. Default: those in its command line and configuration. */
  readonly logFiles: readonly string[] | undefined;
  readonly pattern: RegExp | undefined;
  /** The least severe level that is reported. */
  readonly level: 'error' | 'warn';
  readonly streams: readonly ('stdout' | 'stderr')[] | undefined;
  readonly repeatSeconds: number;
  readonly exitWaitSeconds: number;
  readonly dryRun: boolean;
  readonly tee: boolean;
  readonly userAgent: string;
  /** Makes text that others wrote safe to print on a terminal, and writes commands in it as they can be typed there. */
  readonly printable: (text: string) => string;
}

/** Where reports go, and the token with which agents are registered there. */
export interface FoundService {
  readonly url: string;
  /** Reads it each time, since it may have been replaced. @throws as `findService` does */
  readonly readToken: () => Promise<string>;
}
