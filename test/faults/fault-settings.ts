/** No limit on what a fault run reports, and a log of faults alone. */
export const faultSettings = {
  MUSTER_LOG_LEVEL: 'warn',
  MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '0',
  MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
};
