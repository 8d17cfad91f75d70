import { describe, expect, it } from '@jest/globals';

import { Inbox } from './body-budget.js';

const MIB = 1024 * 1024;

const REFUSED = expect.objectContaining({
  refusal: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' } }),
});

describe('the large bodies in hand', () => {
  it('have room together, and one alone has whatever its size', () => {
    const inbox = new Inbox(4 * MIB);
    const alone = inbox.open();
    alone.arrived(10 * MIB);
    alone.leave();
    const [first, second] = [inbox.open(), inbox.open()];
    for (const body of [first, second]) for (let mib = 0; mib < 2; mib += 1) body.arrived(MIB);
    expect(() => {
      second.arrived(1);
    }).toThrow(REFUSED);
    first.leave();
    first.leave();
    second.arrived(2 * MIB);
    expect(() => {
      inbox.open().arrived(MIB + 1);
    }).toThrow(REFUSED);
  });

  it('keep no small one out', () => {
    const inbox = new Inbox(4 * MIB);
    inbox.open().arrived(4 * MIB);
    const small = inbox.open();
    small.arrived(MIB);
    expect(() => {
      small.arrived(1);
    }).toThrow(REFUSED);
    small.leave();
    inbox.open().arrived(MIB);
  });
});
