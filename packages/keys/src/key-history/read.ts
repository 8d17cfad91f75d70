import { KeyError } from '../key-error.js';
import { isJsonObject, ownMember } from '../own-member.js';
import { isTimestamp } from '../timestamp.js';

/** Maximum length of a text (nodeId, kid, time) in a key history, in UTF-16 code units. */
const MAX_TEXT = 256;

const MINTED_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const HASH = /^sha256:[0-9a-f]{64}$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** @returns the error for a violated rule; `place` names the member, never its value */
export function refusal(place: string, rule: string): KeyError {
  return new KeyError('KEY_HISTORY_INVALID', `key history: ${place} ${rule}`);
}

/**
 * Strict reader for the members of one object. Signed and hashed objects have exactly the specified members, so that
 * readers cannot disagree over a member that only one of them knows.
 */
export interface StrictMembers {
  readonly place: string;
  has(name: string): boolean;
  value(name: string): unknown;
  text(name: string): string;
  /** A timestamp in any format that the specification allows. */
  time(name: string): string;
  /** A time in the format that this project writes: UTC with milliseconds. */
  mintedTime(name: string): string;
  hash(name: string): string;
  /** An integer of at least 1. */
  count(name: string): number;
  members(name: string, required: readonly string[], optional?: readonly string[]): StrictMembers;
}

/** @throws KeyError KEY_HISTORY_INVALID for anything but an object, a missing member or an unlisted one */
export function strictMembers(
  value: unknown,
  place: string,
  required: readonly string[],
  optional: readonly string[] = [],
): StrictMembers {
  if (!isJsonObject(value)) throw refusal(place, 'must be an object');
  const names = Object.keys(value);
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) throw refusal(`${place}.${missing}`, 'is required');
  if (names.some((name) => !required.includes(name) && !optional.includes(name))) {
    throw refusal(place, `must have no members but ${[...required, ...optional].join(', ')}`);
  }
  const read = (name: string): unknown => ownMember(value, name);
  const text = (name: string): string => {
    const member = read(name);
    if (typeof member !== 'string' || member === '' || member.length > MAX_TEXT || CONTROL.test(member)) {
      throw refusal(`${place}.${name}`, `must be text of 1 to ${MAX_TEXT} characters without control characters`);
    }
    if (LONE_SURROGATE.test(member)) throw refusal(`${place}.${name}`, 'must be well-formed Unicode');
    return member;
  };
  const matching = (name: string, fits: (member: string) => boolean, rule: string): string => {
    const member = text(name);
    if (!fits(member)) throw refusal(`${place}.${name}`, rule);
    return member;
  };
  return {
    place,
    has: (name) => read(name) !== undefined,
    value: read,
    text,
    time: (name) => matching(name, isTimestamp, 'must be a timestamp'),
    mintedTime: (name) =>
      matching(
        name,
        (member) => MINTED_TIME.test(member) && isTimestamp(member),
        'must be a timestamp in UTC with milliseconds',
      ),
    hash: (name) => matching(name, (member) => HASH.test(member), 'must be "sha256:" and 64 lower-case hex digits'),
    count: (name) => {
      const member = read(name);
      if (typeof member !== 'number' || !Number.isSafeInteger(member) || member < 1) {
        throw refusal(`${place}.${name}`, 'must be an integer from 1');
      }
      return member;
    },
    members: (name, needed, further) => strictMembers(read(name), `${place}.${name}`, needed, further),
  };
}
