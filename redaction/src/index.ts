export { redactConfig } from './redact-config.ts';
export { redactKnownSecrets } from './redact-known-secrets.ts';
export { redactText } from './redact-text.ts';
