import type { Command } from 'commander';
import { addNoun } from '../../client-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addAlertChannelCommands } from './alert-channels.ts';
import { addAlertDeliveryCommands } from './alert-deliveries.ts';
import { addAlertRuleCommands } from './alert-rules.ts';

/** `muster alert`: who is told what, and what was sent. */
export function addAlertCommands(program: Command, terminal: Terminal): void {
  const alert = addNoun(program, 'alert', 'Alerts of a project: channels, rules and sent messages.');
  addAlertChannelCommands(alert, terminal);
  addAlertRuleCommands(alert, terminal);
  addAlertDeliveryCommands(alert, terminal);
}
