import type { LoadGenerator } from './load/load.ts';
import type { Options } from './options.ts';
import type { Closing } from './processes/closing.ts';
import type { Row } from './report/row.ts';
import type { PostgresHome } from './servers/postgres-home.ts';

/** The environment of a case. */
export interface Bench {
  readonly options: Options;
  readonly load: LoadGenerator;
  /** Closed at the end of the case. */
  readonly closing: Closing;
  /** On the measured disk; removed at the end. */
  readonly scratchDirectory: string;
  /** Kept for the next run. */
  readonly keptDirectory: string;
  /** The administrator's access token of every server of this run: replicas share it. */
  readonly adminToken: string;
  /** Where servers write their profiles, if requested. */
  readonly profileDirectory: string | undefined;
  /** Started when it is first needed; stopped at the end of the run. */
  readonly postgres: () => Promise<PostgresHome>;
  readonly say: (line: string) => void;
}

export interface Case {
  readonly name: string;
  /** Description for the help. */
  readonly title: string;
  run(bench: Bench): Promise<Row[]>;
}
