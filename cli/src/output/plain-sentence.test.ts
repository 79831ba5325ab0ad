import { expect, it } from 'vitest';
import { plainSentence } from './plain-sentence.ts';

it('writes a sentence as plain text, with commands that can be typed', () => {
  expect(
    plainSentence(
      [
        { name: 'Ada' },
        ' muted ',
        { name: 'web-01' },
        ' until ',
        { time: '2026-11-30T14:21:00.000Z' },
        ' (reason: ',
        { quote: 'known' },
        ')',
        { causeID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d' },
      ],
      { withCommands: (text) => text.replace('muster', 'npx muster') },
    ),
  ).toBe("Ada muted 'web-01' until 2026-11-30 14:21 UTC (reason: 'known'): npx muster error get 8a6b4c2d");
});
