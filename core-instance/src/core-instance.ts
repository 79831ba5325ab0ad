/** `muster core-instance start`: takes what the agents of a site send, keeps it on disk, and forwards it. */
export {
  type CoreInstanceOptions,
  type RunningCoreInstance,
  startCoreInstance,
} from './start-core-instance.ts';
export { StateError } from './state/state-error.ts';
