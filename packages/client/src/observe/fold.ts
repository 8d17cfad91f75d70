import type { Json, JsonMembers } from '../json.js';

/** One event of a stream. */
export interface SseEvent {
  /** The field `event`, or empty. */
  readonly name: string;
  readonly data: string;
}

/** The state of a stream as its own protocol sees it. */
export type StreamEnd = 'open' | 'complete' | 'failed';

/** Rebuilds the unstreamed answer of one protocol from its events. */
export interface Fold {
  push(event: SseEvent): void;
  readonly end: StreamEnd;
  /** Whether an end of the stream here is a complete answer. */
  readonly isWhole: boolean;
  /** Drops the content so far, which exceeds the limit. The end is still recognised. */
  forget(): void;
  /** The received content, in the shape of the unstreamed answer. */
  answer(): JsonMembers;
}

/** An object that is being rebuilt. */
export type Draft = Record<string, Json>;

export function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object in an event's data; null for anything else. */
export function objectIn(data: string): Draft | null {
  try {
    const value: unknown = JSON.parse(data);
    return isDraft(value) ? value : null;
  } catch {
    return null;
  }
}

/** Members that name something: a later chunk repeats or replaces them. */
const REPLACED: ReadonlySet<string> = new Set([
  'role',
  'id',
  'type',
  'index',
  'name',
  'finish_reason',
  'stop_reason',
  'format',
]);

/**
 * Adds a delta to a draft: text is appended, objects are merged, lists are merged by the members' `index`.
 * Text and a list are a list: the text is a part of it.
 * @param except a member of the delta that is left out; deleting it from each delta costs as much as the merge
 */
export function addDelta(draft: Draft, delta: Draft, except?: string): void {
  for (const name of Object.keys(delta)) {
    if (name === except) continue;
    const value = delta[name] ?? null;
    const known = Object.hasOwn(draft, name) ? draft[name] : undefined;
    if (typeof value === 'string' && typeof known === 'string' && !REPLACED.has(name)) draft[name] = known + value;
    else if (Array.isArray(value)) setOwn(draft, name, mergedList(partsOf(known), value));
    else if (typeof value === 'string' && isList(known)) addText(known, value);
    else if (isDraft(value) && isDraft(known)) addDelta(known, value);
    else if (value !== null || known === undefined) setOwn(draft, name, value);
  }
}

/** Sets a member, also one called `__proto__`, as own data. */
export function setOwn(draft: Draft, name: string, value: Json): void {
  if (name !== '__proto__') draft[name] = value;
  else Object.defineProperty(draft, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The members of `from` but one, which is `except`. */
export function assignBut(draft: Draft, from: Draft, except: string): void {
  for (const name of Object.keys(from)) if (name !== except) setOwn(draft, name, from[name] ?? null);
}

/** Replaces members; a later null says nothing about a known member. */
export function assignStated(draft: Draft, from: Readonly<Record<string, Json | undefined>>): void {
  for (const [name, value] of Object.entries(from)) {
    if (value !== undefined && (value !== null || !Object.hasOwn(draft, name))) setOwn(draft, name, value);
  }
}

export function isList(value: Json | undefined): value is Json[] {
  return Array.isArray(value);
}

function partsOf(known: Json | undefined): Json[] {
  if (isList(known)) return known;
  const parts: Json[] = [];
  if (typeof known === 'string') addText(parts, known);
  return parts;
}

function addText(parts: Json[], text: string): void {
  if (text === '') return;
  const last = parts.at(-1);
  if (isDraft(last) && last['type'] === 'text') addDelta(last, { text });
  else parts.push({ type: 'text', text });
}

/** The place of an item in its list: two items are one where their `index` is the same JSON. */
export type Place = number | string | null;

/** @returns null for an index that is null or absent */
export function placeOf(index: Json | undefined): Place {
  if (typeof index === 'number') return index;
  return index === undefined || index === null ? null : JSON.stringify(index);
}

/** Maximum choices of an answer over the limit whose ends are recognised: no provider gives as many. */
const MAX_CHOICES = 1000;

/**
 * Leaves of each choice whether it has its reason to finish: an answer over the limit needs no more.
 * @returns false for choices that are too many, or placed by texts of any length, all of which are dropped
 */
export function keepReasons(choices: Map<Place, Draft>, name: 'finish_reason' | 'finishReason'): boolean {
  const isKept = choices.size <= MAX_CHOICES && [...choices.keys()].every((place) => typeof place !== 'string');
  if (!isKept) choices.clear();
  for (const [place, choice] of choices) choices.set(place, { [name]: typeof choice[name] === 'string' ? '' : null });
  return isKept;
}

/** The items of each merged list by their places. */
const places = new WeakMap<readonly Json[], Map<Place, Draft>>();

/** Adds to the list itself: a copy in each chunk would take longer with every chunk, as would a search. */
function mergedList(list: Json[], added: readonly Json[]): Json[] {
  const items = itemsOf(list);
  for (const item of added) {
    const place = placeIn(item);
    const same = place === null ? undefined : items.get(place);
    if (isDraft(item) && same !== undefined) addDelta(same, item);
    else {
      list.push(item);
      if (isDraft(item) && place !== null) items.set(place, item);
    }
  }
  return list;
}

function itemsOf(list: readonly Json[]): Map<Place, Draft> {
  const known = places.get(list);
  if (known !== undefined) return known;
  const items = new Map<Place, Draft>();
  for (const item of list) {
    const place = placeIn(item);
    if (isDraft(item) && place !== null && !items.has(place)) items.set(place, item);
  }
  places.set(list, items);
  return items;
}

function placeIn(item: Json): Place {
  return isDraft(item) ? placeOf(item['index']) : null;
}
