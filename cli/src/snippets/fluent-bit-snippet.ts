import { fluentBitPipeline, toClassicFormat } from '@muster/contract';
import { reportPath } from './report-path.ts';
import type { SnippetTarget } from './snippet-target.ts';

/** The pipeline of `docs/fluent-bit.md` for one agent with its own token, in the classic format. */
export function fluentBitSnippet({ url, agentID }: SnippetTarget): string {
  const isEncrypted = url.protocol === 'https:';
  const sections = fluentBitPipeline({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isEncrypted ? '443' : '80') : url.port,
    isEncrypted,
    uri: reportPath(url, agentID),
    // Escaped instead of concatenated: the bundler would join a `$` and the following text into a template.
    tokenHeader: `X-Agent-Token \${MUSTER_AGENT_TOKEN}`,
  });
  return `# Fluent Bit 5.1 or newer reports its own errors. MUSTER_AGENT_TOKEN comes from the environment of the agent.
# It was tested on Fluent Bit 5.1.1.
${toClassicFormat(sections)}`;
}
