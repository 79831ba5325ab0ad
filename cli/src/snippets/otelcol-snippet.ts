import { printable } from '../output/printable.ts';
import type { SnippetTarget } from './snippet-target.ts';

/** A drop-in for systemd that runs the Collector under `muster report`, because the Collector has no exporter for its own errors. */
export function otelcolSnippet({ url, name, machineID }: SnippetTarget): string {
  return `# untried: written after the documentation of systemd and the Collector, never run with it.
# The Collector cannot post its own errors: 'muster report' runs it, and reports what it logs at level error.
# Save it as /etc/systemd/system/otelcol.service.d/muster.conf, with the paths of your installation.
# /etc/muster/report.env holds MUSTER_TOKEN=…, a project token (muster token create NAME), and has mode 0600.
[Service]
Environment=MUSTER_URL=${quoteForSystemd(url.href.replace(/\/$/, ''))}
EnvironmentFile=/etc/muster/report.env
StateDirectory=muster
ExecStart=
ExecStart=/usr/local/bin/muster report --name ${quoteForSystemd(name)} --machine-id ${quoteForSystemd(machineID)} -- /usr/bin/otelcol --config /etc/otelcol/config.yaml
`;
}

/** Quotes one word of a unit file, in which `%` and `$` are special. */
function quoteForSystemd(text: string): string {
  if (/^[\w@+=:,./-]+$/.test(text)) return text;
  const escaped = printable(text).replaceAll(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return `"${escaped}"`;
}
