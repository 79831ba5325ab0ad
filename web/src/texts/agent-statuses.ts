/** Apart from the other texts of agents, because the overview needs no others. */
export const agentStatusesTexts = {
  healthy: 'Healthy',
  unhealthy: 'Unhealthy',
  offline: 'Offline',
  stopped: 'Stopped',
  unknown: 'Unknown',
  sentNothing: 'Sends nothing, although it promised signs of life',
};
