export { appendReporting } from './append-reporting.ts';
export type { FleetConfigFile } from './checks/check-files.ts';
export { type ConvertedConfig, convertConfig } from './convert-config.ts';
export { type Finding, type FindingCode, findingCodes } from './finding.ts';
export {
  type RenderedText,
  renderVariables,
  type UsedVariable,
  type VariableValues,
  variablesOf,
} from './render-variables.ts';
export { FluentBitSchema, fluentBitSchema } from './schema/fluent-bit-schema.ts';
export { type RecordedSchema, recordSchema } from './schema/record-schema.ts';
export { type ConfigFormat, type FleetConfig, validateFleetConfig } from './validate-fleet-config.ts';
