import { reportPath } from './report-path.ts';
import type { SnippetTarget } from './snippet-target.ts';

/** Classic format. What was recorded from the real program: its input, filters and output, not the marked lines. */
export function fluentBitSnippet({ url, agentID }: SnippetTarget): string {
  const isEncrypted = url.protocol === 'https:';
  const port = url.port === '' ? (isEncrypted ? '443' : '80') : url.port;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return `# Fluent Bit 5.1 or newer reports its own errors. Recorded with the real program (5.1.1); lines marked "untried" were not.
# MUSTER_AGENT_TOKEN comes from the environment of the agent.
[INPUT]
    name  fluentbit_logs
    tag   muster

[FILTER]
    name  grep
    match muster
    regex level ^error$

# untried: each of these lines names a chunk, so that no two are the same
[FILTER]
    name    grep
    match   muster
    exclude message ^\\[engine\\] chunk

[FILTER]
    name   modify
    match  muster
    rename message error
    remove level

# untried: the headers X-Agent-Token and Prefer, and log_response_payload
[OUTPUT]
    name   http
    match  muster
    host   ${host}
    port   ${port}
    tls    ${isEncrypted ? 'on' : 'off'}
    uri    ${reportPath(url, agentID)}
    header X-Agent-Token \${MUSTER_AGENT_TOKEN}
    header Prefer return=minimal
    format json
    json_date_key false
    log_response_payload false
`;
}
