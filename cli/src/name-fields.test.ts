import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { nameFields } from './name-fields.ts';

const command = new Command('create')
  .argument('<name>')
  .option('--expires <when>')
  .option('--network <network>')
  .option('--grace <time>')
  .option('--reports-per-second <number>')
  .option('--despite-bad');

describe('a field that the service refuses', () => {
  it.each([
    ["'/expiresAt' must be in the future.", '--expires must be in the future.'],
    ["'/allowedNetworks/0' must be a network.", '--network must be a network.'],
    ["'/name' must have at most 128 characters.", 'NAME must have at most 128 characters.'],
    ["'/graceSeconds' must be <= 604800.", '--grace must be at most 7d.'],
    ["'/graceSeconds' must be >= 90.", '--grace must be at least 90s.'],
    ["'/reportsPerSecond' must be >= 1.", '--reports-per-second must be at least 1.'],
    ["'/rawConfig' must be a string.", "'/rawConfig' must be a string."],
    ['Correct it, or send despiteBad: true.', 'Correct it, or add --despite-bad.'],
    ['Choose an earlier expiresAt.', 'Choose an earlier --expires.'],
    ['Or send despiteFreeze: true.', 'Or send despiteFreeze: true.'],
    ["The agent 'despiteBad' is not there.", "The agent 'despiteBad' is not there."],
    ["The agent '/usr/bin' is not there.", "The agent '/usr/bin' is not there."],
  ])('%s becomes %s', (message, named) => {
    expect(nameFields(message, command)).toBe(named);
  });

  it.each([
    ['--url', '--url must begin with https:.'],
    ['--url-file', '--url-file must begin with https:.'],
  ])('is named by the flag that was given: %s', async (flag, named) => {
    const create = new Command('create').option('--url <url>').option('--url-file <file>');
    await create.parseAsync([flag, 'x'], { from: 'user' });
    expect(nameFields("'/url' must begin with https:.", create)).toBe(named);
  });

  it('is named with the other one that would do', () => {
    const create = new Command('create').option('--agents <number>').option('--share <share>');
    expect(nameFields("'/agents' is missing; give it or '/share'.", create)).toBe(
      '--agents is missing; give it or --share.',
    );
  });

  it('keeps its name without a command', () => {
    expect(nameFields("'/name' is missing.", undefined)).toBe("'/name' is missing.");
  });
});
