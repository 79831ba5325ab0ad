/** The states of an agent. */
export const agentStatuses = ['healthy', 'unhealthy', 'offline', 'stopped', 'unknown'] as const;
