export { redactConfig } from './redact-config.ts';
export { redactKnownSecrets } from './redact-known-secrets.ts';
export { redactText } from './redact-text.ts';
export { redactArguments, redactValues } from './redact-values.ts';
