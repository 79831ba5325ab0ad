/** What stands in the place of a secret: the marker that Fluent Bit itself writes. */
export const marker = '--redacted--';

/** True for a value that gives something away: not for one that is redacted, a reference, or a switch. */
export function isSecretValue(value: string): boolean {
  const trimmed = value.trim();
  return trimmed !== '' && trimmed !== marker && !givesNothingAway.test(trimmed);
}

/**
 * `${NAME}`, `${env:NAME}`, `${file:/path}`, `{{ .Values.name }}`, `SECRET[backend.name]` of Vector and
 * `#{ENV['NAME']}` of Fluentd say where a secret comes from, `Bearer ${NAME}` too. A default, as in
 * `${NAME:-value}`, may be the secret itself, and so may `$NAME`.
 */
const givesNothingAway = new RegExp(
  `^(?:true|false|on|off|yes|no|null|(?:(?:bearer|basic|splunk) )?(?:${[
    String.raw`\$\{(?:env:)?[a-z_]\w{0,127}\}`,
    String.raw`\$\{file:[\w./-]{1,255}\}`,
    String.raw`\{\{ ?[\w.-]{1,127} ?\}\}`,
    String.raw`SECRET\[[\w.-]{1,127}\]`,
    String.raw`#\{ENV\[(?:'\w{1,127}'|"\w{1,127}")\]\}`,
  ].join('|')}))$`,
  'i',
);
