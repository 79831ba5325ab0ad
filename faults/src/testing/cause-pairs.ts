/** Two texts of agents: `same` if one action of an operator ends both, `different` if they need different ones. */
export interface CausePair {
  readonly cause: 'same' | 'different';
  readonly texts: readonly [string, string];
}

const same = (one: string, other: string): CausePair => ({ cause: 'same', texts: [one, other] });
const different = (one: string, other: string): CausePair => ({ cause: 'different', texts: [one, other] });

/** In the words of Fluent Bit's source (src/, plugins/). */
const fluentBit: readonly CausePair[] = [
  same(
    "[engine] chunk '15071-1795220971.323253476.flb' cannot be retried: task_id=0, input=dummy.0 > output=es.0",
    "[engine] chunk '992-1795229971.1.flb' cannot be retried: task_id=17, input=dummy.0 > output=es.0",
  ),
  different(
    "[engine] chunk '15071-1795220971.323253476.flb' cannot be retried: task_id=0, input=dummy.0 > output=es.0",
    "[engine] chunk '15071-1795220971.323253476.flb' cannot be retried: task_id=0, input=dummy.0 > output=loki.0",
  ),
  same(
    "[engine] failed to flush chunk '1-1795220971.5.flb', retry in 6 seconds: task_id=0, input=tail.0 > output=es.0 (out_id=0)",
    "[engine] failed to flush chunk '1-1795220999.7.flb', retry in 120 seconds: task_id=3, input=tail.0 > output=es.0 (out_id=0)",
  ),
  same(
    "[engine] chunk '<chunk>' cannot be retried: task_id=<n>, input=dummy.0 > output=es.0",
    "[engine] chunk '15071-1795220971.323253476.flb' cannot be retried: task_id=0, input=dummy.0 > output=es.0",
  ),
  same(
    "[engine] failed to flush chunk '<chunk>', retry in <n> seconds: task_id=<n>, input=tail.0 > output=es.0 (out_id=0)",
    "[engine] failed to flush chunk '1-1795220999.7.flb', retry in 120 seconds: task_id=3, input=tail.0 > output=es.0 (out_id=0)",
  ),
  different(
    "[engine] failed to flush chunk '1-1795220971.5.flb', retry in 6 seconds: task_id=0, input=tail.0 > output=es.0 (out_id=0)",
    "[engine] chunk '1-1795220971.5.flb' cannot be retried: task_id=0, input=tail.0 > output=es.0",
  ),
  same(
    '[2026/11/22 10:00:00] [error] [output:es:es.0] no upstream connections available',
    '[2026/11/23 11:30:59] [error] [output:es:es.1] no upstream connections available',
  ),
  same(
    '[2026/11/22 10:00:00.123456789] [error] [engine] storage creation failed',
    '[2026/11/22 10:00:00] [error] [engine] storage creation failed',
  ),
  different(
    '[output:es:es.0] no upstream connections available',
    '[output:loki:loki.0] no upstream connections available',
  ),
  same(
    '[output:http:http.1] no upstream connections available to 10.0.0.7:9200',
    '[output:http:http.1] no upstream connections available to 10.0.0.8:9200',
  ),
  same(
    '[output:http:http.1] no upstream connections available to logs.example.com:443',
    '[output:http:http.4] no upstream connections available to logs.example.com:443',
  ),
  different(
    '[output:http:http.1] no upstream connections available to logs.example.com:443',
    '[output:http:http.1] no upstream connections available to audit.example.com:443',
  ),
  different(
    '[output:http:http.1] no upstream connections available to localhost:4318',
    '[output:http:http.1] no upstream connections available to localhost:8125',
  ),
  different('[output:es:es.0] HTTP status=401 URI=/_bulk', '[output:es:es.0] HTTP status=503 URI=/_bulk'),
  same('[output:es:es.0] HTTP status=429 URI=/_bulk', '[output:es:es.3] HTTP status=429 URI=/_bulk'),
  different(
    '[output:es:es.0] HTTP status=401 URI=/_bulk',
    '[output:es:es.0] HTTP status=401 URI=/logs/_bulk',
  ),
  same(
    '[output:http:http.0] 10.0.0.1:8080, HTTP status=500',
    '[output:http:http.0] 10.0.0.2:8080, HTTP status=500',
  ),
  different(
    '[output:http:http.0] 10.0.0.1:8080, HTTP status=500',
    '[output:http:http.0] 10.0.0.1:8080, HTTP status=400',
  ),
  same(
    '[output:loki:loki.0] loki.internal:3100, HTTP status=400 Not retrying.',
    '[output:loki:loki.2] loki.internal:3100, HTTP status=400 Not retrying.',
  ),
  different(
    "[net] getaddrinfo(host='es.internal', err=4): Domain name not found",
    "[net] getaddrinfo(host='loki.internal', err=4): Domain name not found",
  ),
  different(
    "[net] getaddrinfo(host='es.internal', err=4): Domain name not found",
    "[net] getaddrinfo(host='es.internal', err=12): Timeout while contacting DNS servers",
  ),
  same(
    '[upstream] connection #42 to tcp://10.0.0.1:9200 timed out after 10 seconds (connection timeout)',
    '[upstream] connection #43 to tcp://10.0.0.2:9200 timed out after 30 seconds (connection timeout)',
  ),
  different(
    '[upstream] connection #42 to tcp://10.0.0.1:9200 timed out after 10 seconds (connection timeout)',
    '[upstream] connection #42 to tcp://10.0.0.1:9200 timed out after 10 seconds (IO timeout)',
  ),
  different(
    "[config] dummy: unknown configuration property 'rte'.",
    "[config] dummy: unknown configuration property 'tag2'.",
  ),
  different(
    "[config] dummy: unknown configuration property 'rte'.",
    "[config] tail: unknown configuration property 'rte'.",
  ),
  different(
    "[config] section 'dumy' tried to instance a plugin name that doesn't exist",
    "[config] section 'tial' tried to instance a plugin name that doesn't exist",
  ),
  same(
    "[config] invalid YAML in file /etc/fluent-bit/a.yaml at line 5, column 3: could not find expected ':'",
    "[config] invalid YAML in file /etc/fluent-bit/a.yaml at line 50, column 31: could not find expected ':'",
  ),
  different(
    "[config] invalid YAML in file a.yaml at line 5, column 3: could not find expected ':'",
    '[config] invalid YAML in file a.yaml at line 5, column 3: did not find expected key',
  ),
  different(
    "[input:tail:tail.0] parser 'docker' is not registered",
    "[input:tail:tail.0] parser 'cri' is not registered",
  ),
  different(
    '[input:tail:tail.0] read error, check permissions: /var/log/*.log',
    '[input:tail:tail.0] read error, check permissions: /srv/app/*.log',
  ),
  same(
    '[input:tail:tail.0] error stat(2) /var/log/containers/web-7d9f8b6c5d-xk2lp_shop_web-0af31d.log, removing',
    '[input:tail:tail.0] error stat(2) /var/log/containers/db-58c9d7b4b6-9wz7q_shop_db-77f1.log, removing',
  ),
  same(
    '[input:tail:tail.0] file=/var/log/app.log has been deleted, inode 7213',
    '[input:tail:tail.0] file=/var/log/app.log has been deleted, inode 99812',
  ),
  different(
    '[filter:kubernetes:kubernetes.0] kube api upstream connection error',
    '[filter:kubernetes:kubernetes.0] could not get meta for local POD',
  ),
  same(
    '[filter:kubernetes:kubernetes.0] could not get meta for POD checkout-7d9f8b6c5d-xk2lp',
    '[filter:kubernetes:kubernetes.0] could not get meta for POD billing-6c5d7d9f8b-9wz7q',
  ),
  same(
    "[tls] ca_file '/etc/ssl/ca.pem' 268435584: error:80000002:system library::No such file or directory",
    "[tls] ca_file '/etc/ssl/ca.pem' 33558530: error:80000002:system library::No such file or directory",
  ),
  different(
    "[tls] ca_file '/etc/ssl/ca.pem' 1: error:80000002:system library::No such file or directory",
    "[tls] ca_file '/etc/ssl/ca.pem' 1: error:8000000D:system library::Permission denied",
  ),
  different(
    "[tls] ca_file '/etc/ssl/ca.pem' 1: error:80000002:system library::No such file or directory",
    "[tls] ca_file '/etc/pki/ca.pem' 1: error:80000002:system library::No such file or directory",
  ),
  same(
    '[downstream] could not bind address 0.0.0.0:24224. Aborting',
    '[downstream] could not bind address 10.0.0.5:24224. Aborting',
  ),
  different('[engine] caught signal (SIGSEGV)', '[engine] caught signal (SIGABRT)'),
  same(
    '#0  0x55b0c3a1f2d4      in  flb_sds_len() at include/fluent-bit/flb_sds.h:64',
    '#0  0x7f00c3a1f001      in  flb_sds_len() at include/fluent-bit/flb_sds.h:66',
  ),
  different(
    '#0  0x55b0c3a1f2d4      in  flb_sds_len() at include/fluent-bit/flb_sds.h:64',
    '#0  0x55b0c3a1f2d4      in  tag_compose() at plugins/filter_rewrite_tag/rewrite_tag.c:412',
  ),
  same(
    '[/src/fluent-bit/src/config_format/flb_cf_fluentbit.c:289 errno=2] No such file or directory',
    '[/src/fluent-bit/src/config_format/flb_cf_fluentbit.c:301 errno=2] No such file or directory',
  ),
  different(
    '[/src/fluent-bit/src/flb_network.c:289 errno=111] Connection refused',
    '[/src/fluent-bit/src/flb_network.c:289 errno=113] No route to host',
  ),
  same('[input] tail.0 paused (mem buf overlimit)', '[input] tail.1 paused (mem buf overlimit)'),
  different('[input] tail.0 paused (mem buf overlimit)', '[input] forward.0 paused (mem buf overlimit)'),
  same(
    "[filter:grep:grep.0] could not compile regex pattern '[unclosed'",
    "[filter:grep:grep.2] could not compile regex pattern '(?<a'",
  ),
  same(
    '[fluent bit] version=5.1.1, commit=d55459d492, pid=15131',
    '[fluent bit] version=5.0.3, commit=a1b2c3d4e5, pid=7',
  ),
  same(
    "[output:s3:s3.0] PutObject API responded with error='AccessDenied', requestId 0f8fad5b-d9cb-469f-a165-70867728950e",
    "[output:s3:s3.0] PutObject API responded with error='AccessDenied', requestId 7c9e6679-7425-40de-944b-e07fc1f90ae7",
  ),
  different(
    "[output:s3:s3.0] PutObject API responded with error='AccessDenied'",
    "[output:s3:s3.0] PutObject API responded with error='NoSuchBucket'",
  ),
  same(
    '[output:kafka:kafka.0] fluent-bit#producer-1: [thrd:b1.example.com:9092/1]: Connect to 10.0.0.9:9092 failed after 17ms',
    '[output:kafka:kafka.0] fluent-bit#producer-1: [thrd:b1.example.com:9092/1]: Connect to 10.0.0.4:9092 failed after 3ms',
  ),
  same(
    '[output:kafka:kafka.0] fluent-bit#producer-1: [thrd:b1.example.com:9092/bootstrap]: 1/1 brokers are down',
    '[output:kafka:kafka.0] fluent-bit#producer-4: [thrd:b1.example.com:9092/bootstrap]: 1/1 brokers are down',
  ),
  different(
    '[output:kafka:kafka.0] message delivery failed: Broker: Message size too large',
    '[output:kafka:kafka.0] message delivery failed: Local: Message timed out',
  ),
  same(
    '[filter:kubernetes:kubernetes.0] could not get meta for POD fluent-bit-xkcpz',
    '[filter:kubernetes:kubernetes.0] could not get meta for POD web-0',
  ),
  different(
    '[filter:kubernetes:kubernetes.0] could not get meta for POD web-0',
    '[filter:kubernetes:kubernetes.0] could not get meta for namespace web-0',
  ),
  same(
    '[output:forward:forward.0] ACK: mismatch received=n0aA9lKZQZ2oQzYdL9sT1w==, expected=(8fJ2mPq0RkS7uVxYz1B3cA==)',
    '[output:forward:forward.0] ACK: mismatch received=Zr+kXb/QypTbyUevLxgqoA==, expected=(aBcdEfgHhjKomNtpQxsTsw==)',
  ),
  different(
    '[output:forward:forward.0] ACK: mismatch received=a',
    '[output:forward:forward.0] ack: ack not found',
  ),
  same(
    "[parser] parser named 'json' already exists, skip.",
    "[parser] parser named 'docker' already exists, skip.",
  ),
  different(
    "[input:tail:tail.0] parser 'json' is not registered",
    "[input:tail:tail.0] parser 'docker' is not registered",
  ),
  same(
    "[parser:json] invalid time format %d/%b/%Y:%H:%M:%S %z for 'yesterday'",
    "[parser:json] invalid time format %d/%b/%Y:%H:%M:%S %z for '2026-11-22T10:00:00Z'",
  ),
  different(
    "[parser:json] invalid time format %d/%b/%Y:%H:%M:%S %z for 'yesterday'",
    "[parser:json] invalid time format %Y-%m-%d for 'yesterday'",
  ),
  same("[parser] cannot parse '21/Nov/26 noon'", "[parser] cannot parse '22/Nov/26 ten'"),
  same(
    '[output:http:http.0] api.example.com:443, HTTP status=500\n{"error":"boom","request":"req-1420"}',
    '[output:http:http.0] api.example.com:443, HTTP status=500\n{"error":"boom","request":"req-17"}',
  ),
  same(
    '[output:http:http.0] api.example.com:443, HTTP status=500\n{"error":"boom","request":"req-<n>"}',
    '[output:http:http.0] api.example.com:443, HTTP status=500\n{"error":"boom","request":"req-17"}',
  ),
  same(
    '[output:http:http.0] api.example.com:443, HTTP status=500\n{"requestId":"4x7nj-8k2m"}',
    '[output:http:http.0] api.example.com:443, HTTP status=500\n{"requestId":"pq9zz-01aa"}',
  ),
  different('timeout of worker kafka-2', 'timeout of worker kafka-3'),
  different('[net] host req.example.com is down', '[net] host res.example.com is down'),
];

/** In the words of the Collector's source, and of Go's net and crypto. */
const collector: readonly CausePair[] = [
  same(
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.96.3.7:4317: connect: connection refused"',
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.96.9.1:4317: connect: connection refused"',
  ),
  different(
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.96.3.7:4317: connect: connection refused"',
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.96.3.7:4317: i/o timeout"',
  ),
  different(
    'rpc error: code = Unavailable desc = error reading from server: EOF',
    'rpc error: code = Unauthenticated desc = error reading from server: EOF',
  ),
  same(
    'read tcp 10.0.0.5:43512->10.0.0.1:4317: read: connection reset by peer',
    'read tcp 10.0.0.9:59118->10.0.0.1:4317: read: connection reset by peer',
  ),
  same(
    'read tcp 10.0.0.5:<port>->10.0.0.1:4317: read: connection reset by peer',
    'read tcp 10.0.0.9:59118->10.0.0.1:4317: read: connection reset by peer',
  ),
  different(
    'read tcp 10.0.0.5:43512->10.0.0.1:4317: read: connection reset by peer',
    'write tcp 10.0.0.5:43512->10.0.0.1:4317: write: broken pipe',
  ),
  same(
    'dial tcp [2001:db8::17]:4317: connect: connection refused',
    'dial tcp [2001:db8:0:1::2]:4317: connect: connection refused',
  ),
  same(
    'dial tcp: lookup otel.example.com on 10.96.0.10:53: no such host',
    'dial tcp: lookup otel.example.com on 169.254.20.10:53: no such host',
  ),
  different(
    'dial tcp: lookup otel.example.com on 10.96.0.10:53: no such host',
    'dial tcp: lookup tempo.example.com on 10.96.0.10:53: no such host',
  ),
  different(
    'dial tcp: lookup otel.example.com on 10.96.0.10:53: no such host',
    'dial tcp: lookup otel.example.com on 10.96.0.10:53: server misbehaving',
  ),
  different(
    'error exporting items, request to https://otlp.example.com/v1/logs responded with HTTP Status Code 401',
    'error exporting items, request to https://otlp.example.com/v1/logs responded with HTTP Status Code 503',
  ),
  different(
    'error exporting items, request to https://otlp.example.com/v1/logs responded with HTTP Status Code 401',
    'error exporting items, request to https://otlp.example.com/v1/traces responded with HTTP Status Code 401',
  ),
  same(
    'Exporting failed. Will retry the request after interval. interval=5.3s',
    'Exporting failed. Will retry the request after interval. interval=1m12.083s',
  ),
  same(
    'Exporting failed. Will retry the request after interval. interval=<n>',
    'Exporting failed. Will retry the request after interval. interval=5.3s',
  ),
  same(
    'Exporting failed. Dropping data. error="no more retries left: context deadline exceeded" dropped_items=512',
    'Exporting failed. Dropping data. error="no more retries left: context deadline exceeded" dropped_items=8',
  ),
  different(
    'Exporting failed. Dropping data. error="no more retries left" dropped_items=512',
    'Exporting failed. Rejecting data. error="sending queue is full" rejected_items=512',
  ),
  same(
    'Memory usage is above soft limit. Refusing data. cur_mem_mib=410',
    'Memory usage is above soft limit. Refusing data. cur_mem_mib=399',
  ),
  different(
    'Memory usage is above soft limit. Refusing data. cur_mem_mib=410',
    'Memory usage is above hard limit. Forcing a GC. cur_mem_mib=410',
  ),
  different(
    'service::pipelines::logs: references exporter "otlp/2" which is not configured',
    'service::pipelines::logs: references exporter "otlp/3" which is not configured',
  ),
  different(
    'service::pipelines::logs: references receiver "otlp" which is not configured',
    'service::pipelines::logs: references receiver "filelog" which is not configured',
  ),
  different(
    '\'exporters\' unknown type: "otpl" for id: "otpl"',
    '\'exporters\' unknown type: "lokki" for id: "lokki"',
  ),
  different("'' has invalid keys: recievers", "'' has invalid keys: exportes"),
  same(
    'listen tcp 0.0.0.0:4317: bind: address already in use',
    'listen tcp 10.0.0.5:4317: bind: address already in use',
  ),
  different(
    'listen tcp 0.0.0.0:4317: bind: address already in use',
    'listen tcp 0.0.0.0:4317: bind: cannot assign requested address',
  ),
  different(
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  ),
  same(
    'x509: certificate has expired or is not yet valid: current time 2026-11-22T10:00:00Z is after 2026-11-01T00:00:00Z',
    'x509: certificate has expired or is not yet valid: current time 2026-11-23T11:12:13+01:00 is after 2026-11-01T00:00:00Z',
  ),
  different(
    'x509: certificate is valid for a.example.com, not b.example.com',
    'x509: certificate is valid for a.example.com, not c.example.com',
  ),
  same(
    'open /tmp/otelcol-3811/queue.db: permission denied',
    'open /tmp/otelcol-77/queue.db: permission denied',
  ),
  different('open /etc/otel/a.yaml: permission denied', 'open /etc/otel/a.yaml: no such file or directory'),
  same(
    'goroutine 87 [running]:\nmain.f(0xc000a1c2d0)\n\texporter@v0.96.0/exporter.go:81 +0x127',
    'goroutine 3 [running]:\nmain.f(0xc0004411e0)\n\texporter@v0.97.0/exporter.go:83 +0x12f',
  ),
  same(
    '[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x2f5c1a7]',
    '[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x2f5c999]',
  ),
  different('exit status 1', 'exit status 2'),
  same(
    'E1122 10:00:00.123456       1 reflector.go:147] Failed to watch *v1.Pod: unknown',
    'E1123 23:59:01.000001       1 reflector.go:140] Failed to watch *v1.Pod: unknown',
  ),
  different(
    'E1122 10:00:00.123456       1 reflector.go:147] Failed to watch *v1.Pod: unknown',
    'E1122 10:00:00.123456       1 reflector.go:147] Failed to watch *v1.Node: unknown',
  ),
  same(
    'error decoding: strconv.ParseInt: parsing "abc": invalid syntax',
    'error decoding: strconv.ParseInt: parsing "12x": invalid syntax',
  ),
  same(
    'kafka: client has run out of available brokers to talk to: 3 errors occurred',
    'kafka: client has run out of available brokers to talk to: 5 errors occurred',
  ),
];

/** In the words of Vector's source, of Rust's standard library, and of servers that answer. */
const vectorAndOthers: readonly CausePair[] = [
  same(
    "thread 'vector-worker' panicked at lib/vector-buffers/src/variants/disk_v2/writer.rs:1031:14:",
    "thread 'vector-worker' panicked at lib/vector-buffers/src/variants/disk_v2/writer.rs:1029:9:",
  ),
  different(
    "thread 'vector-worker' panicked at lib/vector-buffers/src/variants/disk_v2/writer.rs:1031:14:",
    "thread 'vector-worker' panicked at lib/vector-buffers/src/variants/disk_v2/reader.rs:1031:14:",
  ),
  different(
    'Os { code: 28, kind: StorageFull, message: "No space left on device" }',
    'Os { code: 13, kind: PermissionDenied, message: "Permission denied" }',
  ),
  different(
    'error trying to connect: tcp connect error: Connection refused (os error 111)',
    'error trying to connect: tcp connect error: Connection timed out (os error 110)',
  ),
  same(
    'Service call failed. No retries or retries exhausted. error=Some(CallRequest) request_id=17',
    'Service call failed. No retries or retries exhausted. error=Some(CallRequest) request_id=4711',
  ),
  different(
    'Server responded with an error: 429 Too Many Requests',
    'Server responded with an error: 413 Payload Too Large',
  ),
  same(
    'Events dropped intentional=false count=17 reason="Service call failed"',
    'Events dropped intentional=false count=1,250 reason="Service call failed"',
  ),
  different(
    'Events dropped count=17 reason="Service call failed"',
    'Events dropped count=17 reason="Retries exhausted"',
  ),
  same(
    'Healthcheck failed. error=Unexpected status: 403 Forbidden took=12ms',
    'Healthcheck failed. error=Unexpected status: 403 Forbidden took=1.2s',
  ),
  different(
    'Healthcheck failed. error=Unexpected status: 403 Forbidden',
    'Healthcheck failed. error=Unexpected status: 404 Not Found',
  ),
  different(
    'unknown variant `elastic`, expected one of `amqp`, `aws`',
    'unknown variant `lokki`, expected one of `amqp`, `aws`',
  ),
  different(
    'Configuration error. error=Input "in" for sink "out" doesn\'t match any components.',
    'Configuration error. error=Input "src" for sink "out" doesn\'t match any components.',
  ),
  same(
    "failed to parse field [age] of type [long] in document with id 'JxYz3YwBq1AbC'. Preview of field's value: 'alice'",
    "failed to parse field [age] of type [long] in document with id 'KkYz3YwBq9QqQ'. Preview of field's value: 'bob'",
  ),
  different(
    "failed to parse field [age] of type [long] in document with id 'a1'",
    "failed to parse field [size] of type [long] in document with id 'a1'",
  ),
  same('pod checkout-7d9f8b6c5d-xk2lp not found', 'pod billing-6c5d7d9f8b-9wz7q not found'),
  same('container c0ffee1234ab is gone', 'container 4be2a9911c0d is gone'),
  same(
    '[22/Nov/2026:10:00:00 +0000] "POST /ingest" failed',
    '[23/Nov/2026:11:59:59 +0000] "POST /ingest" failed',
  ),
  same('cannot reach ip-10-0-3-7.ec2.internal', 'cannot reach ip-10-0-9-122.ec2.internal'),
  different('cannot reach kafka-1.example.com', 'cannot reach kafka-2.example.com'),
  same('offsets for partitions 1, 2, 3 are lost', 'offsets for partitions 4 are lost'),
  same('request took 5.031s (limit 5s)', 'request took 12s (limit 5s)'),
  same('body of 12.5MB exceeds 10MB', 'body of 512 KiB exceeds 10MB'),
  same('signature of 20 records at 1795220980 is invalid', 'signature of 7 records at 1795229999 is invalid'),
  different('received TLS alert: TLS 1.0 is not supported', 'received TLS alert: TLS 1.1 is not supported'),
  same('thread tokio-runtime-worker-3 stalled', 'thread tokio-runtime-worker-12 stalled'),
  different('exited with 137', 'exited with 139'),
  different('killed by signal 9', 'killed by signal 11'),
];

export const causePairs: readonly CausePair[] = [...fluentBit, ...collector, ...vectorAndOthers];
