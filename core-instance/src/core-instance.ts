/** `muster core-instance start`: takes what the agents of a site send, keeps it on disk, and forwards it. */

export { openSiteCertificate } from './site-certificate.ts';
export type { SiteLog } from './site-log.ts';
export {
  type CoreInstanceOptions,
  type RunningCoreInstance,
  startCoreInstance,
} from './start-core-instance.ts';
export { StateError } from './state/state-error.ts';
