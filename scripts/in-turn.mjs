import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** In the root, because `npm ci` deletes node_modules. */
export const turnFileName = '.muster-preparing';

const pollMilliseconds = 500;
/** A process that works says so this often. */
const signMilliseconds = 5_000;
/** One that has not said so for this long has ended, even if another has got its number since. */
const maxSilenceMilliseconds = 60_000;

/**
 * Lets one process of a checkout work at a time. The others wait.
 *
 * @template Result
 * @param {string} root of the checkout
 * @param {() => Promise<Result>} work
 * @param {{ say?: (text: string) => void, wait?: () => Promise<unknown>, now?: () => number }} [options]
 * @returns {Promise<Result>}
 */
export async function inTurn(root, work, options = {}) {
  const file = join(root, turnFileName);
  await takeTurn(file, options);
  const end = () => rmSync(file, { force: true });
  const sign = setInterval(() => utimesSync(file, new Date(), new Date()), signMilliseconds);
  // Scripts end with process.exit when something fails.
  process.once('exit', end);
  try {
    return await work();
  } finally {
    clearInterval(sign);
    process.off('exit', end);
    end();
  }
}

/**
 * @param {string} file
 * @param {{ say?: (text: string) => void, wait?: () => Promise<unknown>, now?: () => number }} options
 */
async function takeTurn(
  file,
  { say = (text) => console.log(text), wait = () => sleep(pollMilliseconds), now = Date.now },
) {
  for (let isTold = false; !create(file); isTold = true) {
    const pid = workerOf(file, now());
    if (pid === undefined) {
      rmSync(file, { force: true });
      continue;
    }
    if (!isTold)
      say(`The process ${pid} is installing or building in this checkout. Waiting until it is done …`);
    await wait();
  }
}

/** @param {string} file */
function create(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * The process whose turn it is; undefined if it has ended.
 *
 * @param {string} file
 * @param {number} now
 */
function workerOf(file, now) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (now - statSync(file).mtimeMs > maxSilenceMilliseconds) return undefined;
    // Written in two steps: empty for an instant.
    if (pid !== 0) process.kill(pid, 0);
    return pid;
  } catch (error) {
    // It belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
      ? 'of another user'
      : undefined;
  }
}
