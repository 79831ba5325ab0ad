import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ConnectionLimiter, type LimitedConnection } from './connection-limiter.ts';

/** A map that knows how many rounds over it were begun. */
class CountedMap extends Map<Socket, LimitedConnection> {
  rounds = 0;

  override entries(): MapIterator<[Socket, LimitedConnection]> {
    this.rounds += 1;
    return super.entries();
  }
}

const idle: LimitedConnection = { underWay: new Set(), latest: 'answered', openedAt: 0 };

describe('ConnectionLimiter', () => {
  it('goes round its connections only while it is crowded, and begins anew with each crowd', () => {
    const all = new CountedMap();
    const crowd = new ConnectionLimiter(all, 10);
    const arrive = () => {
      const socket = new Socket();
      all.set(socket, idle);
      socket.once('close', () => all.delete(socket));
      crowd.makeRoom(0);
      return socket;
    };
    for (let count = 0; count < 9; count += 1) arrive();
    expect(all.rounds).toBe(0);

    const [oldest] = all.keys();
    arrive();
    expect(all.rounds).toBe(1);
    expect(oldest?.destroyed).toBe(true);

    all.clear();
    for (let count = 0; count < 9; count += 1) arrive();
    expect(all.rounds).toBe(1);
    arrive();
    expect(all.rounds).toBe(2);
  });
});
