import { describe, expect, it } from 'vitest';
import { renderScreen } from './render-screen.ts';

describe('the screen of a terminal', () => {
  it.each([
    ['lines', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['a line that is written over', '1 so far\rDone', 'Done far'],
    ['a line that is erased first', '1 so far …\r\u001b[KDone.\r\n', 'Done.\n'],
    ['the rest of a line that is erased', 'abcdef\rabc\u001b[K', 'abc'],
    ['a whole line that is erased', 'abc\u001b[2K\rx', 'x'],
    ['the key that ends a program', 'waiting\r\n^C', 'waiting\n'],
    ['characters beyond ASCII', 'a … b\r\n', 'a … b\n'],
  ])('shows %s', (_, written, screen) => {
    expect(renderScreen(written)).toBe(screen);
  });

  it('leaves out colours', () => {
    expect(renderScreen('\u001b[32mINFO\u001b[39m: ready')).toBe('INFO: ready');
  });

  it.each(['\u001b[6n', '\u001b[2A', '\u0007', '\u001b]0;title\u0007'])(
    'does not pass over %j, which it does not know',
    (written) => {
      expect(() => renderScreen(written)).toThrow('this terminal does not know');
    },
  );
});
