import { readSource } from '../architecture/source-files.ts';
import { type CommandBlock, readBlocks } from '../readme/read-blocks.ts';

/** Commands of the guide that are run here, since they need the packed file. */
const [install, uninstall] = readBlocks(readSource('docs/install.md')).filter(isRunHere);

function isRunHere({ notRunBecause }: CommandBlock): boolean {
  return notRunBecause === 'test/install runs it';
}

export function installCommand(): string {
  return commandsOf(install);
}

export function uninstallCommand(): string {
  return commandsOf(uninstall);
}

function commandsOf(block: CommandBlock | undefined): string {
  if (block === undefined) throw new Error('docs/install.md has no such commands any more.');
  return block.commands;
}
