import { redactKnownForms } from './redact-known-secrets.ts';
import { redactVisible } from './secrets/hidden-marks.ts';
import { redactCommands } from './secrets/redact-commands.ts';
import { redactElements } from './secrets/redact-elements.ts';
import { redactOptions } from './secrets/redact-options.ts';
import { isSecretInText } from './secrets/secret-name.ts';
import { redactNamedText } from './text/redact-named-text.ts';

/**
 * Replaces the secrets in a line or a few lines of output by `--redacted--`: the user part of URLs, values of names that
 * mean a secret, the content of such XML elements and options of syslog-ng, secrets of known shape, PEM blocks, arguments of commands. In doubt it redacts. Takes time linear in the
 * length, whatever the text.
 */
export function redactText(text: string): string {
  return redactVisible(text, redactLines);
}

function redactLines(text: string): string {
  const known = redactCommands(redactKnownForms(text, { keepsUser: false, keepsLines: false }));
  const options = redactOptions(redactElements(known, isSecretInText), {
    isSecret: isSecretInText,
    takesWords: false,
  });
  return redactNamedText(options);
}
