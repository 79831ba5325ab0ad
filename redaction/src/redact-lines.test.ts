// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configurations refer to variables in this form.
import { describe, expect, it } from 'vitest';
import { redactConfig } from './redact-config.ts';

/** A line of a configuration, and the redacted line if it differs. */
type Line = readonly [line: string, redacted?: string];

const classic: readonly Line[] = [
  ['[SERVICE]'],
  ['    flush           1'],
  ['    log_level       info'],
  ['    http_listen     0.0.0.0'],
  ['[INPUT]'],
  ['    name            tail'],
  ['    path            /var/log/containers/*.log'],
  ['    path_key        filename'],
  ['    tag             kube.*'],
  ['    db              /var/lib/fluent-bit/tail.db'],
  ['    exclude_path    /var/log/token/*.log'],
  ['[INPUT]'],
  ['    name            exec'],
  [
    '    command         mysql -uroot -pHunter2 -e "show status"',
    '    command         mysql -uroot -p--redacted-- -e "show status"',
  ],
  [
    '    command         curl -s -u bob:Hunter2 http://127.0.0.1:8080/status',
    '    command         curl -s -u bob:--redacted-- http://127.0.0.1:8080/status',
  ],
  [
    '    command         snmpget -v2c -c Hunter2 10.0.0.1 sysUpTime.0',
    '    command         snmpget -v2c -c --redacted-- 10.0.0.1 sysUpTime.0',
  ],
  ['    command         docker run -u 1000:1000 -p 8080:80 image'],
  // A port has at most five digits: what is longer is a password, although a slash follows.
  ['    url             https://proxy:65535/path?to=user@example.com'],
  [
    '    url             https://bob:123456/7@proxy/path',
    '    url             https://bob:--redacted--@proxy/path',
  ],
  ['    command         backup -v -pHunter2 /srv', '    command         backup -v -p--redacted-- /srv'],
  ['    command         gcc -pipe -path /x -port 80 -python3'],
  ['    github_pat      Hunter2', '    github_pat      --redacted--'],
  [
    '    uri             /callback?code=Hunter2&state=x',
    '    uri             /callback?code=--redacted--&state=x',
  ],
  ['    uri             /status?code=404'],
  ['[FILTER]'],
  ['    name            kubernetes'],
  ['    kube_ca_file    /var/run/secrets/kubernetes.io/serviceaccount/ca.crt'],
  ['    kube_token_file /var/run/secrets/kubernetes.io/serviceaccount/token'],
  ['    merge_log_key   log_processed'],
  ['    regex           token ^[a-z]+$'],
  ['[OUTPUT]'],
  ['    name            es'],
  ['    host            es.example.com'],
  ['    http_user       elastic'],
  ['    http_passwd     Hunter2 and more', '    http_passwd     --redacted--'],
  ['    cloud_auth      elastic:Hunter2', '    cloud_auth      --redacted--'],
  ['    logstash_prefix_key  app'],
  ['    tls.key_file    /etc/ssl/private/client.key'],
  ['    tls.crt_file    /etc/ssl/client.crt'],
  ['    tls.key_passwd  Hunter2', '    tls.key_passwd  --redacted--'],
  ['[OUTPUT]'],
  ['    name            http'],
  ['    header          X-Honeycomb-Team Hunter2', '    header          X-Honeycomb-Team --redacted--'],
  ['    header          X-Honeycomb-Dataset production'],
  ['    header          Authorization Basic Hunter2', '    header          Authorization --redacted--'],
  ['    header          X-Forward Basic dXNlcjpwdw==', '    header          X-Forward Basic --redacted--'],
  ['    header          API KEY Hunter2', '    header          API KEY --redacted--'],
  ['    header          Content-Type application/json'],
  [
    '    uri             /services/T024BE7LH/B01ABCDEF/abcdefgh12345678',
    '    uri             /services/--redacted--',
  ],
  [
    '    uri             /v1/input/0123456789abcdef0123456789abcdef',
    '    uri             /v1/input/--redacted--',
  ],
  [
    '    uri             /api/v2/logs?dd-api-key=Hunter2&ddsource=x',
    '    uri             /api/v2/logs?dd-api-key=--redacted--&ddsource=x',
  ],
  ['    json_date_key   timestamp'],
  ['[OUTPUT]'],
  ['    name            kafka'],
  ['    brokers         10.0.0.1:9092'],
  ['    message_key     log'],
  ['    payload_key     log'],
  ['    rdkafka.sasl.username  bob'],
  ['    rdkafka.sasl.password  Hunter2', '    rdkafka.sasl.password  --redacted--'],
  ['    rdkafka.ssl.key.location /etc/ssl/client.key'],
  ['[OUTPUT]'],
  ['    name            stackdriver'],
  ['    google_service_credentials /etc/gcp/account.json'],
  ['    name            s3'],
  ['    s3_key_format   /logs/$TAG/%Y/%m/%d/$UUID.gz'],
  ['    add             key_id AKIAIOSFODNN7EXAMPLE', '    add             key_id --redacted--'],
];

const fluentBitYaml: readonly Line[] = [
  ['env:'],
  ['  flush_interval: 1'],
  ['  API_TOKEN: Hunter2', '  API_TOKEN: --redacted--'],
  ['pipeline:'],
  ['  inputs:'],
  ['    - name: http'],
  ['      port: 8888'],
  ['      tls.key_file: /etc/ssl/server.key'],
  ['  filters:'],
  ['    - name: modify'],
  ['      match: "*"'],
  ['      rename: token tok'],
  ['  outputs:'],
  ['    - name: splunk'],
  ['      host: splunk.example.com'],
  ['      splunk_token: 11111111-2222-3333-4444-555555555555', '      splunk_token: --redacted--'],
  ['      event_key: $log'],
  ['    - name: http'],
  ['      header:'],
  ['        - Authorization Bearer Hunter2', '        - Authorization --redacted--'],
  ['        - X-P-Stream backend'],
  ['        - x-honeycomb-team Hunter2', '        - x-honeycomb-team --redacted--'],
  [
    '      uri: /api/webhooks/123456789012345678/abcdefghijklmnopqrstuvwxyz',
    '      uri: /api/webhooks/--redacted--',
  ],
  ['    - name: loki'],
  ['      labels: job=fluentbit, env=prod'],
  ['      bearer_token: ${LOKI_TOKEN}'],
  ['      "pass\\u0077ord": Hunter2', '      "pass\\u0077ord": --redacted--'],
];

const collector: readonly Line[] = [
  ['receivers:'],
  ['  snmp:'],
  ['    endpoint: udp://10.0.0.1:161'],
  ['    community: Hunter2', '    community: --redacted--'],
  ['    user: otel'],
  ['    auth_password: Hunter2', '    auth_password: --redacted--'],
  ['    privacy_type: AES'],
  ['  mongodb:'],
  ['    username: otel'],
  ['    password: ${env:MONGODB_PASSWORD}'],
  ['processors:'],
  ['  attributes:'],
  ['    actions:'],
  ['      - action: delete'],
  ['exporters:'],
  ['  otlp/honeycomb:'],
  ['    endpoint: api.honeycomb.io:443'],
  ['    headers:'],
  ['      x-honeycomb-team: Hunter2', '      x-honeycomb-team: --redacted--'],
  ['      x-honeycomb-dataset: production'],
  ['      lightstep-access-token: "Hunter2"', '      lightstep-access-token: "--redacted--"'],
  ['  datadog:'],
  ['    api:'],
  ['      key: Hunter2', '      key: --redacted--'],
  ['      site: datadoghq.eu'],
  ['  otlphttp:'],
  [
    '    endpoint: https://bob:Hunter2@otlp.example.com/v1',
    '    endpoint: https://bob:--redacted--@otlp.example.com/v1',
  ],
  ['    tls:'],
  ['      key_file: /etc/otel/client.key'],
  ['      insecure_skip_verify: false'],
  ['  sumologic:'],
  [
    '    endpoint: https://c.sumologic.com/receiver/v1/http/ZaVnC4dhaV1abcdefghijklmn==',
    '    endpoint: https://c.sumologic.com/receiver/v1/http/--redacted--',
  ],
  [
    '    headers: { authorization: "Basic dXNlcjpwdw==", accept: "*/*" }',
    '    headers: { authorization: "--redacted--", accept: "*/*" }',
  ],
  ['service:'],
  ['  pipelines:'],
  ['    traces: { receivers: [otlp], exporters: [otlp/honeycomb] }'],
];

const vectorToml: readonly Line[] = [
  ['data_dir = "/var/lib/vector"'],
  ['[sources.app]'],
  ['type = "file"'],
  ['include = ["/var/log/**/*.log"]'],
  ['[transforms.parse]'],
  ['source = ". = parse_json!(.message)"'],
  ['[sinks.es]'],
  ['endpoints = ["https://bob:Hunter2@es:9200"]', 'endpoints = ["https://bob:--redacted--@es:9200"]'],
  ['auth.strategy = "basic"'],
  ['auth.user = "bob"'],
  ['auth.password = "Hunter2"', 'auth.password = "--redacted--"'],
  ['bulk.index = "logs-%Y"'],
  ['[sinks.dd]'],
  ['default_api_key = "Hunter2"', 'default_api_key = "--redacted--"'],
  ['default_api_key = "${DATADOG_API_KEY}"'],
  ['default_api_key = "SECRET[vault.dd]"'],
  ['[sinks.aws.auth]'],
  ['access_key_id = "AKIAIOSFODNN7EXAMPLE"', 'access_key_id = "--redacted--"'],
  ['region = "eu-west-1"'],
  ['[sinks.http.request.headers]'],
  ['X-Honeycomb-Team = "Hunter2"', 'X-Honeycomb-Team = "--redacted--"'],
  ['Content-Type = "application/json"'],
  ['tls.key_file = "/etc/ssl/client.key"'],
  ['credentials_path = "/etc/gcp/account.json"'],
  ['"\\u0070assword" = "Hunter2"', '"\\u0070assword" = "--redacted--"'],
];

const vectorYaml: readonly Line[] = [
  ['sinks:'],
  ['  slack:'],
  ['    type: http'],
  [
    '    uri: https://hooks.slack.com/services/T024BE7LH/B01ABCDEF/abcdefgh12345678',
    '    uri: https://hooks.slack.com/services/--redacted--',
  ],
  [
    '    request: {headers: {"X-Api-Key": "Hunter2", "X-Source": "vector"}}',
    '    request: {headers: {"X-Api-Key": "--redacted--", "X-Source": "vector"}}',
  ],
  ['  splunk:'],
  ['    type: splunk_hec_logs'],
  ['    default_token: Hunter2', '    default_token: --redacted--'],
  ['    indexed_fields: [level]'],
  ['  kafka:'],
  ['    key_field: user_id'],
  [
    '    sasl: { enabled: true, mechanism: PLAIN, username: bob, password: Hunter2 }',
    '    sasl: { enabled: true, mechanism: PLAIN, username: bob, password: --redacted-- }',
  ],
  ['  exec:'],
  [
    '    command: ["mysqldump", "-uroot", "-pHunter2", "db"]',
    '    command: ["mysqldump", "-uroot", "-p--redacted--", "db"]',
  ],
  [
    '    command: ["curl", "-u", "bob:Hunter2", "http://h/"]',
    '    command: ["curl", "-u", "bob:--redacted--", "http://h/"]',
  ],
  [
    '    command: [backup, --password, Hunter2, --host, h]',
    '    command: [backup, --password, --redacted--, --host, h]',
  ],
];

const fluentd: readonly Line[] = [
  ['<source>'],
  ['  @type tail'],
  ['  path /var/log/app.log'],
  ['  pos_file /var/log/td-agent/app.pos'],
  ['  tag app'],
  ['</source>'],
  ['<source>'],
  ['  @type snmp'],
  ['  community Hunter2', '  community --redacted--'],
  ['</source>'],
  ['<match app.**>'],
  ['  @type http'],
  [
    '  endpoint https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage',
    '  endpoint https://api.telegram.org/bot--redacted--/sendMessage',
  ],
  [
    '  headers {"x-api-key":"Hunter2","x-source":"fluentd"}',
    '  headers {"x-api-key":"--redacted--","x-source":"fluentd"}',
  ],
  ['  tls_private_key_path /etc/ssl/client.key'],
  ['  tls_private_key_passphrase Hunter2', '  tls_private_key_passphrase --redacted--'],
  ['  <auth>'],
  ['    method basic'],
  ['    username bob'],
  ['    password "Hunter2"', '    password "--redacted--"'],
  ['  </auth>'],
  ['  <buffer tag, time>'],
  ['    timekey 3600'],
  ['    chunk_limit_size 8m'],
  ['  </buffer>'],
  ['  <security>'],
  ['    self_hostname client'],
  ['    shared_key Hunter2', '    shared_key --redacted--'],
  ['  </security>'],
  ['  <password>Hunter2</password>', '  <password>--redacted--</password>'],
  ['  aws_sec_key "#{ENV[\'AWS_SECRET\']}"'],
  ['  slack_token xoxb-123456789012-abcdefghijkl', '  slack_token --redacted--'],
  ['  # was: ghp_abcdefghijklmnopqrstuvwxyz0123456789', '  # was: --redacted--'],
];

const syslogNg: readonly Line[] = [
  ['@version: 3.38'],
  ['destination d_http {'],
  ['  http('],
  ['    url("https://logs.example.com/in")'],
  ['    user("bob") password("Hunter2")', '    user("bob") password("--redacted--")'],
  ["    headers('X-Custom: 1')"],
  ['    tls(ca-file("/etc/ssl/ca.pem") key-file("/etc/ssl/key.pem"))'],
  ['  );'],
  ['};'],
  [
    'destination d_db { sql(type(pgsql) password(Hunter2) port(5432)); };',
    'destination d_db { sql(type(pgsql) password(--redacted--) port(5432)); };',
  ],
  [
    'destination d_redis { redis(host("h") auth ( "Hunter2" )); };',
    'destination d_redis { redis(host("h") auth ( "--redacted--" )); };',
  ],
  [
    'destination d_hec { splunk-hec-event(token("Hunter2" "Hunter2")); };',
    'destination d_hec { splunk-hec-event(token("--redacted--")); };',
  ],
  ['# the token(s) and the password (optional) of a destination'],
  ['template t { template("$(format-json value-pairs(key("HOST")))"); };'],
];

describe.each([
  ['classic Fluent Bit', classic],
  ['Fluent Bit in YAML', fluentBitYaml],
  ['OpenTelemetry Collector', collector],
  ['Vector in TOML', vectorToml],
  ['Vector in YAML', vectorYaml],
  ['Fluentd', fluentd],
  ['syslog-ng', syslogNg],
])('redactConfig, line by line, of %s', (_name, lines) => {
  it('redacts these secrets and keeps everything else', () => {
    const before = lines.map(([line]) => line);
    const after = lines.map(([line, redacted]) => redacted ?? line);
    expect(redactConfig(before.join('\n')).split('\n')).toEqual(after);
    expect(redactConfig(before.join('\r\n')).split('\r\n')).toEqual(after);
    expect(redactConfig(after.join('\n'))).toBe(after.join('\n'));
  });

  it.each(lines.map(([line, redacted]) => [line, redacted ?? line] as const))('%s', (line, redacted) => {
    expect(redactConfig(line)).toBe(redacted);
  });

  it('has the same result for a string in JSON', () => {
    const before = JSON.stringify({ config: lines.map(([line]) => line).join('\n') });
    const after = lines.map(([line, redacted]) => redacted ?? line).join('\n');
    expect(JSON.parse(redactConfig(before))).toEqual({ config: after });
    expect(redactConfig(before)).not.toContain('Hunter2');
  });
});
