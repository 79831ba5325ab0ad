import { describe, expect, it } from 'vitest';
import { badLineOf } from './bad-line.ts';
import { parseDiff } from './parse-diff.ts';

const diff = `--- a
+++ b
@@ -12,4 +12,4 @@
     match *
     host  \${GATEWAY}
-    port  443
+    port  9
     tls   on
`;

describe('the line that an error is about', () => {
  it.each([
    ['no upstream connections available to 10.31.4.7:9', { number: 14, kind: 'port', value: '9' }],
    ['no upstream connections available to 10.31.4.7:443', undefined],
    ['no upstream connections available to 10.31.4.7:99', undefined],
    ['HTTP status=503', undefined],
  ])('of %j', (error, line) => {
    expect(badLineOf(parseDiff(diff), error)).toEqual(line);
  });

  it('is an added one, whatever stood there before', () => {
    const path = '[input:tail:tail.0] read error, check permissions: /var/log/new/*.log';
    const lines = parseDiff(
      '--- a\n+++ b\n@@ -1,2 +1,2 @@\n [INPUT]\n-    path /var/log/*.log\n+    path /var/log/new/*.log\n',
    );
    expect(badLineOf(lines, path)).toEqual({ number: 2, kind: 'path', value: '/var/log/new/*.log' });
  });
});
