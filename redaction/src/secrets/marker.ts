/** The replacement of a secret: the same marker that Fluent Bit writes. */
export const marker = '--redacted--';

/** The line breaks of a replaced range. They follow the marker, so that further lines keep their numbers. */
export function lineBreaksIn(text: string, start: number, end: number): string {
  return text.slice(start, end).replaceAll(/[^\r\n]+/g, '');
}

/** True for a value that may be a secret; false for a redacted value, a reference, or a switch. */
export function isSecretValue(value: string): boolean {
  const trimmed = value.trim();
  return (
    trimmed !== '' &&
    trimmed !== marker &&
    !(mayGiveNothingAway.test(trimmed) && givesNothingAway.test(trimmed))
  );
}

/** The first character of each pattern below. */
const mayGiveNothingAway = /^(?:[$#{/]|true|false|on|off|yes|no|null|bearer|basic|splunk|secret)/i;

/**
 * `${NAME}`, `${env:NAME}`, `${file:/path}`, `{{ .Values.name }}`, `SECRET[backend.name]` of Vector and
 * `#{ENV['NAME']}` of Fluentd say where a secret comes from, `Bearer ${NAME}` too, and so does the path of a file. A default, as in
 * `${NAME:-value}`, may be the secret itself, and so may `$NAME`.
 */
const givesNothingAway = new RegExp(
  `^(?:true|false|on|off|yes|no|null|(?:(?:bearer|basic|splunk) )?(?:${[
    String.raw`\$\{(?:env:)?[a-z_]\w{0,127}\}`,
    String.raw`\$\{file:[\w./-]{1,255}\}`,
    String.raw`\{\{ ?[\w.-]{1,127} ?\}\}`,
    String.raw`SECRET\[[\w.-]{1,127}\]`,
    String.raw`(?:/[\w.-]{1,64}){0,16}/[\w.-]{1,64}\.(?:pem|key|crt|cer|der|p12|pfx|jks|json|ya?ml|conf|txt|keytab|token)`,
    String.raw`(?:/var)?/run/secrets/[\w./-]{1,255}`,
    String.raw`#\{ENV\[(?:'\w{1,127}'|"\w{1,127}")\]\}`,
  ].join('|')}))$`,
  'i',
);
