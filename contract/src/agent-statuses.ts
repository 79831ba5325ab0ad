/** Beside the schemas, so that the dashboard does not carry them. */
export const agentStatuses = ['healthy', 'unhealthy', 'offline', 'stopped', 'unknown'] as const;
export type AgentStatus = (typeof agentStatuses)[number];
