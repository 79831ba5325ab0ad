/** What stands in the place of a secret, as the service and Fluent Bit write it. */
const marker = '--redacted--';

/**
 * Replaces secrets in a line of output: the user part of URLs, values of names that mean a secret, credentials of a
 * known shape, PEM blocks. In doubt it redacts. Takes time linear in the length.
 */
export function redactText(text: string): string {
  if (!mayHoldSecret.test(text)) return text;
  return redactions.reduce((redacted, [pattern, by]) => redacted.replace(pattern, by), text);
}

/** Something of what the patterns below need: most lines have none of it and are not searched further. */
const mayHoldSecret =
  /@|pass|pw|secret|token|key|auth|cred|bearer|basic|splunk|cookie|session|jwt|sig|-----BEGIN|eyJ|mst_|AKIA|ASIA|gh[a-z]_|glpat|xox|sk[-_]/i;

/** Between a name and its value: `=`, `:`, `=>`, `": "`, also escaped in a JSON string. */
const separator = String.raw`\\{0,3}["']?\]?\s{0,4}(?:=>|[:=])\s{0,4}`;

/** A value: quoted, escaped and quoted, or up to a blank or what ends an item of a list. */
const value = String.raw`(?:\\{1,3}"(?:[^"\\]|\\(?!"))*|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&;,)}\]]+)`;

/** Names end in one of these, or in its plural; `_file`, `_name` or `_id` after it makes another name of it. */
const secretName =
  '(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_ ]?key|apikey|access[-_]?key(?:[-_]id)?|(?:shared|private|license|account|signing|encryption|ingest(?:ion)?|secret|auth|master)[-_]?key|credential|creds?|jwt|psk|cookie|session(?:[-_]?id)?|sig(?:nature)?|auth)s?';

/** Not where the authority has already ended, as in `https://host:8080/@scope`. */
const userInfo = /(:(?:\/\/|\\\/\\\/))(?![\w.-]+(?::\d{1,5})?(?:[/?#\s"'<>,;)\]\\]|$))[^\s"'<>]{1,1024}@/g;

const redactions: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/-----BEGIN [A-Z0-9 ]{1,64}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,64}-----|$)/g, marker],
  [userInfo, `$1${marker}@`],
  [
    new RegExp(String.raw`([\w.-]*authori[sz]ation${separator}["'\\]*)(?:[a-z]+ )?[^\s"',;\\)}\]]+`, 'gi'),
    `$1${marker}`,
  ],
  [
    /\b(bearer|basic|splunk|apikey|token)(\s{1,4})(?!--redacted)(?=[\w+/=.~-]{0,4096}[\d+/=._~-])[\w+/=.~-]{8,4096}/gi,
    `$1$2${marker}`,
  ],
  [new RegExp(String.raw`([\w.-]{0,64}${secretName}${separator})(?!${marker})${value}`, 'gi'), `$1${marker}`],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g, marker],
  [/\b(?:[\w-]{20,200}\.)?mst_[pua]_\w{8,}/g, marker],
  [
    /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z\d]{16}|sk[-_][\w-]{20,})/g,
    marker,
  ],
];
