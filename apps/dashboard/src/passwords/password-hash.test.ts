import { describe, expect, it } from '@jest/globals';
import { createPasswordHasher, PASSWORD_COST } from './password-hash.js';

const cheap = createPasswordHasher({ logN: 4, r: 8, p: 1 });

describe('a password hash', () => {
  it('has its parameters and a unique salt', async () => {
    const hashes = [await cheap.hash('a password'), await cheap.hash('a password')];
    for (const hash of hashes) expect(hash).toMatch(/^scrypt\$ln=4,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it('is matched by its password alone', async () => {
    const hash = await cheap.hash('a password');
    expect(await cheap.verify('a password', hash)).toBe(true);
    expect(await cheap.verify('a passwore', hash)).toBe(false);
    expect(await cheap.verify('', hash)).toBe(false);
  });

  it('is checked under its own parameters', async () => {
    const hash = await cheap.hash('a password');
    expect(await createPasswordHasher({ logN: 5, r: 8, p: 2 }).verify('a password', hash)).toBe(true);
  });

  it('accepts any Unicode composition of a password', async () => {
    expect(await cheap.verify('cafe\u0301 cr\u00e8me', await cheap.hash('caf\u00e9 cre\u0300me'))).toBe(true);
  });

  it('never matches for a missing hash', async () => {
    expect(await cheap.verify('a password', null)).toBe(false);
  });

  it('of an unknown form is an error', async () => {
    await expect(cheap.verify('x', 'plain:x')).rejects.toThrow('unknown form');
  });

  it('costs at least the OWASP minimum', () => {
    expect(PASSWORD_COST).toEqual({ logN: 15, r: 8, p: 3 });
  });
});
