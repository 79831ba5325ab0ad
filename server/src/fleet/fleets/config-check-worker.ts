import { parentPort, workerData } from 'node:worker_threads';
import { type CheckedConfig, findingsOf } from './config-findings.ts';

/** The entry point of the thread that checks one configuration. */
parentPort?.postMessage(findingsOf(workerData as CheckedConfig)); // as `FleetConfigChecker` sends it
