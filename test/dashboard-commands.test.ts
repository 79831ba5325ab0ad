import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentsTexts } from '../web/src/texts/agents.ts';
import { appTexts } from '../web/src/texts/app.ts';
import { causesTexts } from '../web/src/texts/causes.ts';
import { dismissalsTexts } from '../web/src/texts/dismissals.ts';
import { overviewTexts } from '../web/src/texts/overview.ts';
import { tokensTexts } from '../web/src/texts/tokens.ts';

const manuals = join(import.meta.dirname, '../cli/man');

it.each([
  appTexts.noProjectsCommand,
  overviewTexts.noAgentsCommand,
  causesTexts.noneCommand,
  dismissalsTexts.noneCommand,
  agentsTexts.noneCommand,
  tokensTexts.noneCommand,
])('the dashboard suggests a command that exists: %s', (command) => {
  const [, words = ''] = /muster ((?:[a-z]+ ?)+)/.exec(command) ?? [];
  const [first = '', second = ''] = words.trim().split(' ');
  const manual = readFileSync(join(manuals, `muster-${first}.1`), 'utf8').replaceAll('\\-', '-');
  if (first !== 'report') expect(manual).toContain(`${first} ${second}`);
  const [ownFlags = ''] = command.split(' -- ');
  for (const [flag] of ownFlags.matchAll(/--[a-z-]+/g)) expect(manual).toContain(flag);
});
