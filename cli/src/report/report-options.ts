import type { FoundService } from './find-service.ts';

/** What was asked for on the command line and in the environment. */
export interface ReportOptions {
  /** Reads files, so that it is not done before the agent runs. @throws CommandError that says what is missing */
  readonly findService: () => Promise<FoundService>;
  readonly stateDirectory: string;
  readonly name: string;
  /** Absent: as the program is called. */
  readonly type: string | undefined;
  readonly instance: string | undefined;
  /** Absent: made from the host's. */
  readonly machineID: string | undefined;
  /** Absent: those that the agent's command line names. */
  readonly configFiles: readonly string[] | undefined;
  readonly pattern: RegExp | undefined;
  readonly streams: readonly ('stdout' | 'stderr')[] | undefined;
  readonly repeatSeconds: number;
  readonly exitWaitSeconds: number;
  readonly dryRun: boolean;
  readonly tee: boolean;
  readonly userAgent: string;
}
