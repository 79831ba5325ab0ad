import { Writable } from 'node:stream';
import type { Output } from './output.ts';

/**
 * Replaces `process.stdout` and `process.stderr`. Node opens them when somebody reads these properties, as its sockets do
 * when they are closed, and then makes the pipe behind them non-blocking. An agent that shares it would fail to write
 * (EAGAIN) while its reader is slow.
 */
export function keepOutputsBlocking(outputs: { readonly 1: Output; readonly 2: Output }): void {
  replace('stdout', outputs[1]);
  replace('stderr', outputs[2]);
}

function replace(name: 'stdout' | 'stderr', output: Output): void {
  const value = new Writable({
    write(chunk, _encoding, done) {
      output.write(Buffer.from(chunk));
      done();
    },
  });
  Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
}
