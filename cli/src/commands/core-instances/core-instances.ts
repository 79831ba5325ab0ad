import type { Command } from 'commander';
import { addNoun } from '../../client-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addCoreInstanceStartCommand } from './core-instance-start.ts';

/** `muster core-instance`: Musters at sites, which keep what agents send until this one has it. */
export function addCoreInstanceCommands(program: Command, terminal: Terminal): void {
  const coreInstance = addNoun(program, 'core-instance', 'Core instances: Musters at sites.');
  addCoreInstanceStartCommand(coreInstance, terminal);
}
