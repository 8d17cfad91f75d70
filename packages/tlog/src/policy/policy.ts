import { parseVkey, type NoteKey, type NoteKeyType } from '../note/vkey.js';
import { TlogError } from '../tlog-error.js';

/** A key of a policy, and where it can be reached. */
export interface PolicyKey {
  readonly key: NoteKey;
  readonly url: string | null;
}

/** A witness under the name that the policy gives it. */
export interface PolicyWitness extends PolicyKey {
  readonly name: string;
}

/** Which logs are accepted, and which cosignatures make their checkpoints valid. */
export interface LogPolicy {
  readonly logs: readonly PolicyKey[];
  readonly witnesses: readonly PolicyWitness[];
  /**
   * Whether witnesses that cosigned are enough.
   * @param cosigned names of this policy
   */
  isMet(cosigned: ReadonlySet<string>): boolean;
}

type Rule = (cosigned: ReadonlySet<string>) => boolean;

/**
 * Reads a policy: lines `log`, `witness`, `group` and one `quorum`.
 * @throws TlogError POLICY_INVALID naming the line and the rule
 * @see https://c2sp.org/tlog-policy
 */
export function parseLogPolicy(text: string): LogPolicy {
  const logs: PolicyKey[] = [];
  const witnesses: PolicyWitness[] = [];
  const rules = new Map<string, Rule>();
  const grouped = new Set<string>();
  const keys = { log: new Set<string>(), witness: new Set<string>() };
  let quorum: Rule | undefined;

  for (const [at, line] of text.split('\n').entries()) {
    const refuse = (rule: string): TlogError =>
      new TlogError('POLICY_INVALID', `policy line ${String(at + 1)}: ${rule}`);
    if (/[^\P{Cc}\t]/u.test(line)) throw refuse('has a control character');
    const [keyword, ...words] = line.split(/[ \t]+/).filter((word) => word !== '');
    if (keyword === undefined || keyword.startsWith('#')) continue;

    const readKey = (vkey: string | undefined, url: string | undefined, role: 'log' | 'witness'): PolicyKey => {
      const key = keyOf(vkey, role === 'log' ? 'ed25519' : 'cosignature', refuse);
      const raw = key.publicKey.raw.join();
      if (keys[role].has(raw)) throw refuse(`names the key of another ${role}`);
      keys[role].add(raw);
      return { key, url: url ?? null };
    };
    const define = (name: string | undefined, rule: Rule): string => {
      if (name === undefined || name === 'none') throw refuse('needs a name, and none is reserved');
      if (rules.has(name)) throw refuse('defines a name twice');
      rules.set(name, rule);
      return name;
    };

    switch (keyword) {
      case 'log': {
        const [vkey, url, ...more] = words;
        if (more.length > 0) throw refuse('has more than a key and an address');
        logs.push(readKey(vkey, url, 'log'));
        break;
      }
      case 'witness': {
        const [name, vkey, url, ...more] = words;
        if (more.length > 0) throw refuse('has more than a name, a key and an address');
        const found = readKey(vkey, url, 'witness');
        witnesses.push({ name: define(name, (cosigned) => name !== undefined && cosigned.has(name)), ...found });
        break;
      }
      case 'group': {
        const [name, threshold = '', ...members] = words;
        const needed = thresholdOf(threshold, members.length);
        if (needed === undefined) throw refuse('needs a threshold from 1 to the number of its members');
        const parts = members.map((member) => {
          const rule = rules.get(member);
          if (rule === undefined) throw refuse('names a member that no earlier line defines');
          if (grouped.has(member)) throw refuse('names a member twice');
          grouped.add(member);
          return rule;
        });
        define(name, (cosigned) => parts.filter((isMet) => isMet(cosigned)).length >= needed);
        break;
      }
      case 'quorum': {
        const [name = '', ...more] = words;
        if (quorum !== undefined) throw refuse('is a second quorum');
        quorum = name === 'none' ? () => true : rules.get(name);
        if (quorum === undefined || more.length > 0) throw refuse('needs one name that an earlier line defines');
        break;
      }
      default:
        throw refuse('must begin with log, witness, group or quorum');
    }
  }
  if (quorum === undefined) throw new TlogError('POLICY_INVALID', 'policy: needs one quorum line');
  return { logs, witnesses, isMet: quorum };
}

function keyOf(vkey: string | undefined, type: NoteKeyType, refuse: (rule: string) => TlogError): NoteKey {
  if (vkey === undefined) throw refuse('needs a key');
  let key: NoteKey;
  try {
    key = parseVkey(vkey);
  } catch (error) {
    throw error instanceof TlogError ? refuse(error.message) : error;
  }
  if (key.type !== type) throw refuse(`needs a key of type ${type}`);
  return key;
}

function thresholdOf(text: string, members: number): number | undefined {
  const needed = text === 'all' ? members : text === 'any' ? 1 : /^[1-9][0-9]*$/.test(text) ? Number(text) : 0;
  return needed >= 1 && needed <= members ? needed : undefined;
}
