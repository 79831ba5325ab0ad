import { reportUrl } from './report-path.ts';
import type { SnippetTarget } from './snippet-target.ts';

/** Vector has a source for its own log. */
export function vectorSnippet({ url, agentID }: SnippetTarget): string {
  return `# untried: written after the documentation of Vector 0.40, never run with it. It reports its own errors.
# MUSTER_AGENT_TOKEN comes from the environment of the agent.
sources:
  muster_logs:
    type: internal_logs

transforms:
  muster_errors:
    type: remap
    inputs: [muster_logs]
    drop_on_abort: true
    source: |
      if .metadata.level != "ERROR" { abort }
      . = { "error": to_string(.message) ?? "an error without a message" }

sinks:
  muster:
    type: http
    inputs: [muster_errors]
    uri: ${reportUrl(url, agentID)}
    method: post
    encoding:
      codec: json
    batch:
      max_events: 1000
      timeout_secs: 5
    request:
      headers:
        X-Agent-Token: "\${MUSTER_AGENT_TOKEN}"
        Prefer: return=minimal
    healthcheck:
      enabled: false
`;
}
