import { reportUrl } from './report-path.ts';
import type { SnippetTarget } from './snippet-target.ts';

/** Fluentd sends its own log to the label @FLUENT_LOG. */
export function fluentdSnippet({ url, agentID }: SnippetTarget): string {
  return `# untried: written after the documentation of Fluentd 1.16, never run with it. It reports its own errors.
# MUSTER_AGENT_TOKEN comes from the environment of the agent.
<label @FLUENT_LOG>
  <filter fluent.{error,fatal}>
    @type record_transformer
    renew_record true
    <record>
      error \${record["message"] || record["error"]}
    </record>
  </filter>
  <match fluent.{error,fatal}>
    @type http
    endpoint ${reportUrl(url, agentID)}
    headers {"X-Agent-Token":"#{ENV['MUSTER_AGENT_TOKEN']}","Prefer":"return=minimal"}
    content_type application/json
    json_array true
    retryable_response_codes 408,429,503
    <format>
      @type json
    </format>
    <buffer>
      flush_interval 5s
      chunk_limit_records 1000
      retry_timeout 1h
    </buffer>
  </match>
  <match **>
    @type null
  </match>
</label>
`;
}
