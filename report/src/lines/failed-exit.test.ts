import { describe, expect, it } from 'vitest';
import { lineFormats } from './error-line.ts';
import { containsError, describeFailedExit, type LastLines } from './failed-exit.ts';

function printed(lines: Partial<LastLines>): LastLines {
  return { stderr: [], stdout: [], logFiles: [], ...lines };
}

describe('describeFailedExit', () => {
  it.each([
    [
      1,
      ["fluent-bit: unrecognized option '--nosuchflag'"],
      "[muster report] The agent ended with exit code 1: fluent-bit: unrecognized option '--nosuchflag'",
    ],
    [
      2,
      [
        'tar: d/data: Cannot open: Permission denied',
        'tar: Exiting with failure status due to previous errors',
      ],
      '[muster report] The agent ended with exit code 2: tar: d/data: Cannot open: Permission denied\ntar: Exiting with failure status due to previous errors',
    ],
    [
      7,
      ["curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server"],
      "[muster report] The agent ended with exit code 7: curl: (7) Failed to connect to 127.0.0.1 port 1 after <n> ms: Couldn't connect to server",
    ],
    [
      1,
      ['[eval]:1', 'x', '^', 'ReferenceError: x is not defined', '    at [eval]:1:1', 'Node.js v20.20.2'],
      '[muster report] The agent ended with exit code 1: ReferenceError: x is not defined\n    at [eval]:1:1\nNode.js v20.20.2',
    ],
    [
      3,
      ['reading the configuration', 'listening on port 1', 'one', 'two', 'three'],
      '[muster report] The agent ended with exit code 3 and printed no error. Its last lines:\none\ntwo\nthree',
    ],
  ])('gives exit code %d its reason from %j', (code, stderr, text) => {
    expect(describeFailedExit(code, printed({ stderr }))).toBe(text);
  });

  it('takes the reason of a log file, and that of stdout only if nothing else was printed', () => {
    const data = ['{"message":"login failed"}'];
    expect(describeFailedExit(1, printed({ logFiles: ['cannot bind'], stdout: data }))).toBe(
      '[muster report] The agent ended with exit code 1: cannot bind',
    );
    expect(describeFailedExit(1, printed({ stderr: ['one'], stdout: data }))).toBe(
      '[muster report] The agent ended with exit code 1 and printed no error. Its last lines:\none',
    );
    expect(describeFailedExit(1, printed({ stdout: ['hello', 'cannot bind'] }))).toBe(
      '[muster report] The agent ended with exit code 1: cannot bind',
    );
    expect(describeFailedExit(3, printed({ stdout: ['hello'] }))).toBe(
      '[muster report] The agent ended with exit code 3 and printed no error.',
    );
  });

  it('redacts, removes what differs each time, and cuts', () => {
    const stderr = [
      `[2026/11/21 00:29:05] cannot log in with password=hunter2 (pid=4711)`,
      'x'.repeat(2_000),
    ];
    const text = describeFailedExit(1, printed({ stderr }));
    expect(text).toMatch(
      /^\[muster report\] The agent ended with exit code 1: \[<time>\] cannot log in with password=--redacted-- \(pid=<n>\)\nx+…$/,
    );
    expect(text).toHaveLength(1_024);
  });

  it('takes at most six lines', () => {
    const stderr = ['cannot start', ...Array.from({ length: 20 }, (_, index) => `line ${index}`)];
    expect(describeFailedExit(1, printed({ stderr })).split('\n')).toHaveLength(6);
  });
});

describe('containsError', () => {
  it('knows whether the reason was found in the output and so is reported already', () => {
    const formats = lineFormats('error');
    expect(
      containsError(printed({ stderr: ['one', '[2026/11/21 00:29:05] [error] no such plugin'] }), formats),
    ).toBe(true);
    expect(
      containsError(printed({ stderr: ['[2026/11/21 00:29:05] [ warn] slow'], stdout: ['x'] }), formats),
    ).toBe(false);
  });
});
