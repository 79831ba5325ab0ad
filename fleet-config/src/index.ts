export { appendReporting } from './append-reporting.ts';
export type { FleetConfigFile } from './checks/check-files.ts';
export type { KnownVariables } from './checks/check-variables.ts';
export { type ConvertedConfig, convertConfig } from './convert-config.ts';
export { type Finding, type FindingCode, findingCodes } from './finding.ts';
export { FluentBitSchema, fluentBitSchema } from './schema/fluent-bit-schema.ts';
export { type RecordedSchema, recordSchema } from './schema/record-schema.ts';
export { type ConfigPiece, encodeValue, explainUnsafeValue, piecesOf, toTemplate } from './template.ts';
export {
  type ConfigFormat,
  type FleetConfig,
  limitFindings,
  validateFleetConfig,
} from './validate-fleet-config.ts';
export { type Variable, variablesIn } from './variables.ts';
