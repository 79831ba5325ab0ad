/**
 * The meaning of a key's name for its value. `secret`: everything below it is secret. `secret-scalar`: only a plain value
 * is, as in `cloud_auth user:password`; a map below it (`auth: {strategy: basic, …}`) is read key by key.
 */
export type NameMeaning = 'secret' | 'secret-scalar' | 'harmless';

/** Names are read up to this length, from their end. */
export const maxNameLength = 256;

/** Reads a key in any spelling: `api_key`, `X-API-Key`, `apiKey`, `APIKEY`, `sinks.out.auth.password`. */
export function readName(name: string): NameMeaning {
  const given = name.length > maxNameLength ? name.slice(-maxNameLength) : name;
  const letters = given.replaceAll(/[^A-Za-z0-9./]+|[./]+$/g, '').toLowerCase();
  const isSecretAnywhere = secretAnywhere.test(letters);
  const lastSegment = Math.max(letters.lastIndexOf('.'), letters.lastIndexOf('/')) + 1;
  if (harmlessNames.has(letters.slice(lastSegment)) && !secretAnywhere.test(letters.slice(0, lastSegment))) {
    return 'harmless';
  }
  const words = (given.match(word) ?? []).map((found) => found.toLowerCase());
  const lastWord = words.at(-1) ?? '';
  if (namesPlace.has(lastWord)) return 'harmless';
  if (headersThatAuthorize.has(letters.slice(lastSegment))) return 'secret';
  if (isSecretAnywhere || words.some((found) => secretWord.test(found)) || secretEnding.test(lastWord)) {
    return 'secret';
  }
  if (secretLastWord.test(lastWord) || otpSeed.test(letters)) {
    return 'secret';
  }
  return lastWord.endsWith('auth') ? 'secret-scalar' : 'harmless';
}

/**
 * The same for a name in a line of text that is followed by `:` or `=`. Prose has more names than configurations, so only
 * the end of the name counts, and a key must be a kind of credential, as in `api_key` or `license key`.
 */
export function isSecretInText(name: string): boolean {
  const letters = name.replaceAll(/[^A-Za-z]+/g, '').toLowerCase();
  return secretEndingInText.test(letters) || headersThatAuthorize.has(letters);
}

/** The same for names that are also ends of ordinary words: only a value with a digit is a secret. */
export function isShortSecretInText(name: string): boolean {
  return shortNameInText.test(name.slice(-maxShortNameLength));
}

/** With the character before it. */
const maxShortNameLength = 5;

const shortNameInText =
  /(?:(?:^|[^A-Za-z])(?:[Pp]at|PAT|[Pp]in|PIN|[Tt]?otp|Otp|T?OTP)|[a-z](?:Pat|PAT|Pin|PIN|T?OTP|Totp|Otp))$/;

const secretEndingInText =
  /(?:(?<!by|com)pass|passw(?:or)?d|passphrase|passcode|pwd|pw|secret|token|credential|cred|jwt|psk|cookie|session|sessionid|sig|signature|auth|authori[sz]ation|bearer|snmpcommunity|communitystring|accesskeyid|otpseed|(?:api|app|application|access|shared|private|license|account|signing|encryption|ingest|ingestion|insert|secret|auth|master|storage|subscription|functions)key)s?$/;

/** Headers with credentials whose names do not look like it; only letters. */
const headersThatAuthorize: ReadonlySet<string> = new Set(['xhoneycombteam', 'honeycombteam']);

/** Words begin at separators and capitals. Numbers are not part of words. */
const word = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** In a name without its separators, anywhere: `authtoken`, `clientsecretvalue`; not `tokenizer`. */
const secretAnywhere =
  /password|passwd|passphrase|passcode|secret|token(?!i[sz])|credential|authori[sz]ation|bearer|webhook/;

/** As a word of the name, or at its end: `access_key_id`, `ssl.key.pem`, `apikey_prod`. */
const secretWord = /keys?$|^(?:creds?|jwt|psk|cookies?)$/;

/** As the last word: `GITHUB_PAT`, `sim_pin`. */
const secretLastWord = /^(?:pats?|pin|t?otp)$/;

const otpSeed = /otpseed$/;

/** At the end of the last word: `dbpass`, `PGPWD`. */
const secretEnding = /(?<!by|com)pass$|pwd$|^pw$|^sig$|signature$|communit(?:y|ies)$/;

/** The value of `token_file`, `key_path`, `ssl.key.location` says where a secret is, not what it is. */
const namesPlace: ReadonlySet<string> = new Set(['file', 'path', 'dir', 'directory', 'location']);

/**
 * Options of Fluent Bit, Fluentd, Vector and the OpenTelemetry Collector whose name says key or token and
 * whose value is the name of a record's field, a format, or an address. Whole names only: a name that is not
 * here is taken for a secret.
 */
const harmlessNames: ReadonlySet<string> = new Set(
  [
    'allowlist_key',
    'body_key',
    'event_key',
    'gelf_short_message_key',
    'headers_key',
    'hostname_key',
    'id_key',
    'include_tag_key',
    'include_time_key',
    'json_date_key',
    'key_content',
    'key_exists',
    'key_field',
    'key_name',
    'key_names',
    'key_prefix',
    'label_keys',
    'labels_key',
    'log_key',
    'logstash_prefix_key',
    'lookup_key',
    'merge_log_key',
    'message_key',
    'message_key_field',
    'offset_key',
    'partition_key',
    'path_key',
    'payload_key',
    'raw_message_key',
    'record_key',
    'remove_key',
    'remove_keys',
    'routing_key',
    's3_key_format',
    'severity_key',
    'source_address_key',
    'tag_key',
    'tag_keys',
    'tags_list_key',
    'time_key',
    'timestamp_key',
    'token_endpoint',
    'token_url',
    'topic_key',
    'uuid_key',
  ].map((name) => name.replaceAll('_', '')),
);
