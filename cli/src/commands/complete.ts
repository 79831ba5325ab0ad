import type { Command } from 'commander';
import { complete } from '../completion/complete.ts';
import { printCompletion } from '../completion/print-completion.ts';
import { shellCommands } from '../completion/shell-commands.ts';
import { ProfileStore } from '../profiles/profile-store.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * `muster __complete -- WORD...`: completes the last of the words after `muster`, for the shell scripts. It contacts no
 * server.
 */
export function addCompleteCommand(program: Command, terminal: Terminal): void {
  program
    .command('__complete', { hidden: true })
    .argument('<words...>')
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const completion = await complete(shellCommands(program), words, {
        listProfiles: () => new ProfileStore(terminal).listNames(),
      });
      terminal.stdout.write(printCompletion(completion));
    });
}
