import { parentPort, workerData } from 'node:worker_threads';
import { type ConfigTask, outcomeOf } from './config-task.ts';

/** The entry point of the thread that works on one large configuration. */
parentPort?.postMessage(outcomeOf(workerData as ConfigTask)); // as `ConfigThread` sends it
