import { inTurn } from './in-turn.mjs';
import { countPackages, forgetInstallation, isInstalled, markInstalled } from './installation.mjs';
import { notFoundExitCode, runCommand } from './run-command.mjs';
import { readManifest, root } from './workspace.mjs';

/**
 * Installs node_modules as package-lock.json says, unless it is current. Imports only Node's own modules, because before the
 * first install there are no others.
 */
export async function ensureInstalled() {
  const refusal = explainOldNode(process.versions.node, readManifest(root).engines?.node ?? '');
  if (refusal !== undefined) fail(refusal);
  if (isInstalled(root)) return;
  await inTurn(root, async () => {
    if (!isInstalled(root)) await installAll();
  });
}

async function installAll() {
  const started = Date.now();
  console.log(`Installing ${countPackages(root)} packages with npm ci, about half a minute …`);
  const code = await install();
  if (code !== 0) fail(explainFailedInstall(code));
  markInstalled(root);
  console.log(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/**
 * The message for a user whose Node is too old; undefined if it is new enough.
 *
 * @param {string} version such as 20.20.2
 * @param {string} range `>=` and a version, as in package.json
 */
export function explainOldNode(version, range) {
  const least = range.replace('>=', '');
  const parts = least.split('.').map(Number);
  const given = version.split('.').map(Number);
  const firstDifference = parts.findIndex((part, index) => part !== given[index]);
  if (firstDifference === -1 || Number(given[firstDifference]) > Number(parts[firstDifference]))
    return undefined;
  return [
    `Muster needs Node.js ${least} or newer, and this is Node.js ${version}.`,
    'Install the current long-term support version from https://nodejs.org (or with `nvm install --lts`),',
    'open a new terminal and run the same command again.',
  ].join('\n');
}

/** @returns {Promise<number>} npm's exit code */
async function install() {
  forgetInstallation(root);
  // Development dependencies build the service, so they are needed even if NODE_ENV is production.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, ...first] = npmCommand();
  const ticker = showThatItGoesOn();
  try {
    // npm is a batch file on Windows, which needs a shell.
    const shell = process.platform === 'win32' && command === 'npm';
    return await runCommand(command, [...first, ...args], { shell });
  } finally {
    clearInterval(ticker);
  }
}

/** The npm that runs this script, otherwise the one in the path. @returns {[string, ...string[]]} */
export function npmCommand() {
  const file = process.env.npm_execpath;
  return file !== undefined && /\bnpm-cli\.c?js$/.test(file) ? [process.execPath, file] : ['npm'];
}

/** On a terminal npm shows its own progress. */
function showThatItGoesOn() {
  if (process.stdout.isTTY) return undefined;
  const started = Date.now();
  return setInterval(() => {
    console.log(`  … still installing, ${Math.round((Date.now() - started) / 1000)} s`);
  }, 5_000);
}

/** @param {number} code */
function explainFailedInstall(code) {
  return code === notFoundExitCode
    ? 'npm was not found. It comes with Node.js: install that from https://nodejs.org and run the same command again.'
    : [
        `The packages could not be installed (npm ci ended with ${code}; its own message is above).`,
        'Check the network and the proxy settings of npm, and run the same command again.',
        'After a change of dependencies in a package.json, run `npm install` once.',
      ].join('\n');
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
