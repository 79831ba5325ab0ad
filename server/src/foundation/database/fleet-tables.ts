import type { Generated } from 'kysely';

/** Row types of fleets. Times and ids as in `tables.ts`. */
export interface FleetTables {
  fleets: FleetTable;
  fleet_files: FleetFileTable;
  fleet_contents: FleetContentTable;
  fleet_versions: FleetVersionTable;
  fleet_publications: FleetPublicationTable;
  fleet_agents: FleetAgentTable;
  fleet_variables: FleetVariableTable;
  fleet_secrets: FleetSecretTable;
}

interface FleetTable {
  id: string;
  project_id: string;
  name: string;
  /** Of Fluent Bit. Empty: any. */
  minimum_version: string;
  /** JSON. */
  tags: string;
  /** `on` or `off`. */
  reporting: string;
  /** 48 random bits: the fleet in the ids that its agents get. */
  number: number;
  /** What these ids are signed with, in hexadecimal digits. */
  handle_key: string;
  /** Of its newest version. 0: it has none. */
  newest_number: Generated<number>;
  /** What agents get, and under which date. Null: nothing. */
  current_version_id: string | null;
  current_seconds: number | null;
  created_at: number;
  created_by_kind: string;
  created_by_id: string | null;
  /** What its creator was called then. */
  created_by_name: string | null;
  updated_at: number;
  deleted_at: number | null;
}

/** A file as the fleet has it now. */
interface FleetFileTable {
  id: string;
  fleet_id: string;
  name: string;
  /** SHA-256 of its bytes. */
  digest: string;
  bytes: number;
  created_at: number;
  updated_at: number;
}

interface FleetContentTable {
  project_id: string;
  digest: string;
  contents: Uint8Array;
}

/** Never changes, but for what is learned of it. */
interface FleetVersionTable {
  id: string;
  fleet_id: string;
  project_id: string;
  number: number;
  raw_config: string;
  /** `classic`, `yaml` or `json`. */
  config_format: string;
  /** JSON: name, digest and bytes of each file, in the order of names. */
  files: string;
  /** SHA-256 of the configuration, its format and the files. */
  digest: string;
  note: string | null;
  /** JSON. */
  findings: string;
  /** The structure of the configuration as the first agent reported it that applied this version. Null: none has. */
  learned_structure: string | null;
  /** `text_digest` of what that agent reported. */
  learned_text_digest: string | null;
  created_at: number;
  created_by_kind: string;
  created_by_id: string | null;
  created_by_name: string | null;
}

interface FleetPublicationTable {
  project_id: string;
  /** `Last-Modified` in seconds. */
  seconds: number;
  fleet_id: string;
  version_id: string;
  published_at: number;
}

/** An agent of a fleet, and what it was served. Times that end in `seconds` are dates of publications. */
interface FleetAgentTable {
  project_id: string;
  agent_id: string;
  fleet_id: string;
  /** The id with which it alone asks. Null: all agents of its fleet ask with the same one. */
  handle: string | null;
  /** The fleet whose name it is configured with, if it was moved from that one. Null: it is in that one. */
  home_fleet_id: string | null;
  /**
   * How much later the dates that it gets are than those of publications, so that what it gets after a move is later than what it had. It only grows, so
   * that it also tells whether something is about the agent as it is now.
   */
  shift_seconds: Generated<number>;
  /** The version that is for it, and when it last asked without having that. */
  offered_seconds: number | null;
  offered_at: number | null;
  /** What it said last that it has. */
  downloaded_seconds: number | null;
  downloaded_at: number | null;
  /** When it last registered or was updated with its configuration. */
  confirmed_at: number | null;
  /** The last version that it ran for certain. */
  applied_seconds: number | null;
  /** Of the configuration that it reports: its plugins. */
  structure: string | null;
  /** Of the values of the variables in what it was offered. Null: there are none, or they are not known. */
  values_digest: string | null;
}

interface FleetVariableTable {
  id: string;
  project_id: string;
  fleet_id: string;
  /** `fleet`, `tag` or `agent`. */
  subject_kind: string;
  /** Empty, a tag, or the id of an agent. */
  subject: string;
  name: string;
  value: string;
  updated_at: number;
  updated_by_kind: string;
  updated_by_id: string | null;
  updated_by_name: string | null;
}

interface FleetSecretTable {
  id: string;
  project_id: string;
  fleet_id: string;
  name: string;
  /** The encrypted value, bound to the id. */
  sealed: string;
  /** With which key. */
  key_id: string;
  created_at: number;
  created_by_kind: string;
  created_by_id: string | null;
  created_by_name: string | null;
  /** When it was replaced or deleted. Null: it is served. */
  ended_at: number | null;
}
