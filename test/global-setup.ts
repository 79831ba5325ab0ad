/** Tests run the service from source, except for its database thread. */
export { buildWorker as setup } from '../scripts/build.mjs';
