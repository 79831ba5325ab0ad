export const streamEndReasons = ['refused', 'slow', 'stopping'] as const;

/** Why the service ended a stream of events. */
export type StreamEndReason = (typeof streamEndReasons)[number];
