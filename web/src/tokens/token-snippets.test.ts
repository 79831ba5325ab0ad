import { describe, expect, it } from 'vitest';
import { tokenSnippets } from './token-snippets.ts';

const token = 'eyJQIjoxfQ.mst_p_secret';
const permissions = ['create:agent', 'create:agent_error'];

const textsOf = (url: string) =>
  Object.fromEntries(
    tokenSnippets({ url: new URL(url), token, permissions }).map(({ id, parts }) => [
      id,
      parts.map(({ text }) => text),
    ]),
  );

describe('the snippets of a token', () => {
  it('report with it: by curl, by Fluent Bit, by muster report and in Kubernetes', () => {
    const { curl, report, helm, fluentBit } = textsOf('https://muster.example.com/');
    expect(curl).toEqual([
      `curl -sS "https://muster.example.com/v1/machines/$(hostname)/errors" \\
  -H 'X-Project-Token: ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"error":"a first error"}'`,
    ]);
    expect(report).toEqual([
      `export MUSTER_URL=https://muster.example.com
export MUSTER_TOKEN=${token}
muster report -- fluent-bit -c /etc/fluent-bit/fluent-bit.conf`,
    ]);
    expect(helm?.[0]).toContain(`--from-literal=PROJECT_TOKEN=${token}\n`);
    expect(fluentBit?.[0]).toBe(`PROJECT_TOKEN=${token}`);
    const config = fluentBit?.[1]?.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));
    expect(config).toContain('host muster.example.com');
    expect(config).toContain('port 443');
    expect(config).toContain('tls on');
    expect(config).toContain(`uri /v1/machines/$${'{HOSTNAME}'}/errors?truncate=true&partial=true`);
    expect(fluentBit?.[1]).not.toContain(token);
  });

  it('follow the address of the service: its path, its port, and whether it is encrypted', () => {
    const { curl, report, fluentBit } = textsOf('http://[::1]:7400/behind/');
    expect(curl?.[0]).toContain('"http://[::1]:7400/behind/v1/machines/');
    expect(report?.[0]).toContain('MUSTER_URL=http://[::1]:7400/behind\n');
    const config = fluentBit?.[1]?.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));
    expect(config?.filter((line) => /^(host|port|tls|uri) /.test(line))).toEqual([
      'host ::1',
      'port 7400',
      'tls off',
      `uri /behind/v1/machines/$${'{HOSTNAME}'}/errors?truncate=true&partial=true`,
    ]);
  });

  it('report nothing with a token that may not', () => {
    const snippets = tokenSnippets({
      url: new URL('http://localhost:7400/'),
      token,
      permissions: ['read:*'],
    });
    expect(snippets).toEqual([
      {
        id: 'curl',
        parts: [
          { place: 'shell', text: `curl -sS http://localhost:7400/v1/me -H 'X-Project-Token: ${token}'` },
        ],
      },
    ]);
  });
});
