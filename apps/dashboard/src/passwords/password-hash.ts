import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** scrypt's parameters: N is two to the power of `logN`. */
export interface ScryptCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and about a fifth of a second; Node runs at most four at a time, which bounds the memory. */
export const PASSWORD_COST: ScryptCost = { logN: 15, r: 8, p: 3 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Twice what the largest cost we read back needs. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
const FORM = /^scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;

/** Hashes passwords and checks them. */
export interface PasswordHasher {
  /** `scrypt$ln=,r=,p=$salt$hash`: the parameters stay with the hash, so that they can rise. */
  hash(password: string): Promise<string>;
  /** Does the same work when there is nothing to compare with, so that timing does not reveal which users exist. */
  verify(password: string, stored: string | null): Promise<boolean>;
}

export function createPasswordHasher(cost: ScryptCost = PASSWORD_COST): PasswordHasher {
  const hash = async (password: string): Promise<string> => {
    const salt = randomBytes(SALT_BYTES);
    const derived = await derive(password, salt, cost);
    const { logN, r, p } = cost;
    return `scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64url')}$${derived.toString('base64url')}`;
  };
  let decoy: Promise<string> | undefined;

  return {
    hash,
    verify: async (password, stored) => {
      decoy ??= hash(randomBytes(HASH_BYTES).toString('base64url'));
      const matches = await verifyAgainst(password, stored ?? (await decoy));
      return matches && stored !== null;
    },
  };
}

async function verifyAgainst(password: string, stored: string): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] = FORM.exec(stored) ?? [];
  if (hash === '') throw new Error('a stored password hash has an unknown form');
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url'), cost), Buffer.from(hash, 'base64url'));
}

function derive(password: string, salt: Uint8Array, { logN, r, p }: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One password can be typed as different code points.
    const bytes = Buffer.from(password.normalize('NFKC'));
    scrypt(bytes, salt, HASH_BYTES, { N: 2 ** logN, r, p, maxmem: MAX_MEMORY_BYTES }, (error, derived) => {
      if (error === null) resolve(derived);
      else reject(error);
    });
  });
}
