import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { manPages } from './man-pages.ts';
import { definition, escapeTroff, paragraph, verbatim } from './troff.ts';

const pages = manPages();
const hasGroff = spawnSync('groff', ['--version']).status === 0;

/** The rendered text, and the warnings of groff. */
function render(troff: string, columns = 100): { readonly text: string; readonly warnings: string } {
  const args = ['-man', '-Tutf8', '-ww', `-rLL=${columns}n`, '-P-cbou'];
  const { stdout, stderr } = spawnSync('groff', args, { input: troff, encoding: 'utf8' });
  return { text: stdout, warnings: stderr };
}

describe('the manual', () => {
  it('has a page for muster and one for each command', () => {
    expect(Object.keys(pages)).toEqual([
      'muster.1',
      ...[
        'login',
        'logout',
        'whoami',
        'status',
        'profile',
        'project',
        'token',
        'agent',
        'fleet',
        'rollout',
        'error',
        'dismissal',
        'alert',
        'member',
        'invite',
        'invitation',
        'user',
        'access-token',
        'session',
        'audit',
        'apply',
      ].map((name) => `muster-${name}.1`),
      ...[
        'report',
        'core-instance',
        'serve',
        'demo',
        'migrate',
        'copy',
        'backup',
        'restore',
        'doctor',
        'admin',
        'completion',
      ].map((name) => `muster-${name}.1`),
    ]);
  });

  it.each(Object.entries(pages))('%s is troff, in ASCII, that names itself', (name, page) => {
    expect(page).toMatch(/^[\n -~]+\n$/);
    const title = name.replace('.1', '').replaceAll('-', '\\-');
    expect(page).toContain(`\n.SH NAME\n${title} \\- `);
    const requests = [...page.matchAll(/^[.'](\S*)/gm)].map(([, request]) => request);
    const known = ['\\"', 'TH', 'SH', 'SS', 'PP', 'TP', 'RS', 'RE', 'nf', 'fi', 'nh', 'br'];
    expect(requests.filter((request) => !known.includes(request ?? ''))).toEqual([]);
  });

  it.runIf(hasGroff).each(Object.entries(pages))('%s is read by groff without a warning', (_, page) => {
    const { text, warnings } = render(page);
    expect(warnings).toBe('');
    expect(text).toContain('SYNOPSIS\n');
  });

  it.runIf(hasGroff).each(Object.entries(pages))('%s fits a terminal of 80 columns', (_, page) => {
    const { text } = render(page, 78);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('describes every flag and setting of serve, and both ways to report', () => {
    const serve = pages['muster-serve.1'] ?? '';
    expect(serve).toContain('.TP\n\\fB\\-\\-retention\\-days <number>\\fR\nNumber of days for which');
    expect(serve).toContain('MUSTER_OIDC_ISSUER');
    expect(pages['muster-report.1']).toContain(
      '.SH SYNOPSIS\n\\fBmuster report\\fR [options] \\-\\- <agent> [arguments...]\n.br\n\\fBmuster report\\fR [options] \\-\n',
    );
  });

  it('shows the examples of verbs and commands literally', () => {
    expect(pages['muster-token.1']).toContain('\n$ TOKEN=$(muster token create ci \\-\\-quiet)\n.fi\n');
    expect(pages['muster-report.1']).toContain(
      '\n.SH EXAMPLES\n.PP\n.RS 4\n.nf\n$ muster report \\-\\- fluent\\-bit',
    );
  });
});

describe('text in troff', () => {
  const hostile = [
    '.so /etc/passwd',
    "'br is no request",
    'a\\fBb\\n(yr \\*(XX',
    '--flag-name ~/.config ^1 `x` "quoted"',
    'line one\n.SH two',
    'C:\\path …',
  ];

  it.each(hostile)('%j starts no request and no escape', (text) => {
    const escaped = escapeTroff(text);
    expect(escaped).not.toMatch(/^[.']/m);
    expect(
      escaped.replaceAll(/\\(?:\(rs|\(aq|\(dq|\(ga|\(ha|\(ti|-|&|\[u[0-9A-F]{4,6}\])/g, ''),
    ).not.toContain('\\');
  });

  it.runIf(hasGroff).each(hostile)('%j is printed as it is', (text) => {
    const page = (body: string) => `.TH X 1\n.SH NAME\nx \\- y\n.SH TEXT\n${body}\n`;
    for (const body of [paragraph(text), definition('term', text), verbatim(text.split('\n'))]) {
      const { text: printed, warnings } = render(page(body));
      expect(warnings).toBe('');
      const flat = (one: string) => one.replaceAll(/\s+/g, ' ');
      expect(flat(printed)).toContain(flat(text));
    }
  });
});
