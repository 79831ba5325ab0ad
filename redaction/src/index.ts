export { redactConfig } from './redact-config.ts';
export { redactText } from './redact-text.ts';
