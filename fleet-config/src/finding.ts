/** What is wrong, or looks wrong, with a configuration. An error keeps it from being served. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly code: FindingCode;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** What to do, as an order. */
  readonly remedy?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 code units. */
  readonly column?: number;
  /** The file of the fleet; absent for the configuration itself. */
  readonly file?: string;
}

export type FindingCode = (typeof findingCodes)[number];

export const findingCodes = [
  'bad_file_name',
  'bad_indentation',
  'bad_section_header',
  'bad_value',
  'byte_order_mark',
  'custom_forbidden',
  'duplicate_file_name',
  'duplicate_service',
  'empty',
  'file_not_found',
  'invalid_yaml',
  'json_as_yaml',
  'misplaced_section',
  'misplaced_variable',
  'missing_property',
  'missing_value',
  'not_convertible',
  'not_utf8',
  'too_complex',
  'too_large',
  'too_many_findings',
  'unknown_plugin',
  'unknown_property',
  'unknown_section',
  'unknown_variable',
  'wrong_shape',
] as const;

/** Where a text stands, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The same finding for a file of the fleet; of the configuration itself if there is no name. */
export function inFile(findings: readonly Finding[], file: string | undefined): Finding[] {
  return findings.map((finding) => (file === undefined ? finding : { ...finding, file }));
}
