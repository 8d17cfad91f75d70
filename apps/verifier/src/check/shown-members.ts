import { isJsonArray, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { BUNDLE_TYPES, isSha256Hash, PROTOCOLS, REDACTED } from '@cer/cer-core';
import { isSealedValue, readSubject, type Evaluation } from '@cer/cer-core/verify';
import { RAW_VALUE_NAMES } from './raw-values.js';
import type { ShownMember, ShownSignal } from './check-result.js';

// The shown members of a bundle. Raw input and output are never shown, since a page may be printed.

const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['type', 'protocolVersion']);
const MAX_TEXT = 4000;

export function shownMembers(bundle: JsonObject, evaluation: Evaluation): ShownMember[] {
  const snapshot = member(bundle, 'snapshot');
  const fromSnapshot = isJsonObject(snapshot)
    ? Object.keys(snapshot)
        .filter((name) => !SHOWN_ELSEWHERE.has(name))
        .flatMap((name) => shownValue(`snapshot.${name}`, name, snapshot[name]))
    : [];
  const beside = ['contextSummary', 'policyEvaluation']
    .filter((name) => isBound(name, bundle, evaluation))
    .flatMap((name) => shownValue(name, name, member(bundle, name)));
  const meta = member(bundle, 'meta');
  const metadata = isJsonObject(meta) ? shownValue('meta.metadata', 'metadata', member(meta, 'metadata')) : [];
  return [...fromSnapshot, ...beside, ...metadata];
}

/** Signals that the hash covers; others are not evidence and are not shown. */
export function shownSignals(bundle: JsonObject, evaluation: Evaluation): ShownSignal[] {
  const context = isBound('context', bundle, evaluation) ? member(bundle, 'context') : undefined;
  const signals = isJsonObject(context) ? member(context, 'signals') : undefined;
  if (!isJsonArray(signals)) return [];
  return signals.filter(isJsonObject).map((signal) => ({
    type: textOf(member(signal, 'type')),
    source: textOf(member(signal, 'source')),
    payload: jsonText(member(signal, 'payload') ?? null),
  }));
}

/** Does the hash of this kind of bundle cover the member? */
function isBound(name: string, bundle: JsonObject, { relaxations }: Evaluation): boolean {
  if (relaxations.includes('context-excluded')) return false;
  const { reading } = readSubject(bundle, null, { protocols: PROTOCOLS, bundleTypes: BUNDLE_TYPES });
  return reading?.layout?.hashedMembers.includes(name) ?? false;
}

function shownValue(path: string, name: string, value: JsonValue | undefined): ShownMember[] {
  if (value === undefined || value === null) return [];
  if (value === REDACTED) return [{ path, value: '', kind: 'withheld' }];
  if (isSealedValue(value)) return [{ path, value: value.commitment, kind: 'sealed' }];
  if (isSha256Hash(value)) return [{ path, value, kind: 'hash' }];
  if (RAW_VALUE_NAMES.has(name)) return [{ path, value: '', kind: 'withheld' }];
  if (name === 'toolCalls') return [{ path, value: jsonText(withoutRawValues(value)), kind: 'json' }];
  if (typeof value === 'string') return [{ path, value: clip(value), kind: 'text' }];
  return [{ path, value: jsonText(value), kind: 'json' }];
}

function withoutRawValues(calls: JsonValue): JsonValue {
  if (!isJsonArray(calls)) return null;
  return calls.map((call) =>
    isJsonObject(call) ? Object.fromEntries(Object.entries(call).filter(([name]) => !RAW_VALUE_NAMES.has(name))) : null,
  );
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function clip(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

/** Indented JSON, clipped. The text of a deep value is mostly indentation and can be longer than a text may be. */
function jsonText(value: JsonValue): string {
  let text = '';
  const write = (inner: JsonValue, indent: string): void => {
    const isList = isJsonArray(inner);
    if (!isList && !isJsonObject(inner)) {
      text += JSON.stringify(inner);
      return;
    }
    const names = isList ? [] : Object.keys(inner);
    const count = isList ? inner.length : names.length;
    text += isList ? '[' : '{';
    for (let at = 0; at < count; at += 1) {
      if (text.length > MAX_TEXT) return;
      const name = names[at];
      text += `${at === 0 ? '' : ','}\n${indent}  ${name === undefined ? '' : `${JSON.stringify(name)}: `}`;
      write((isList ? inner[at] : member(inner, name ?? '')) ?? null, `${indent}  `);
    }
    text += `${count === 0 ? '' : `\n${indent}`}${isList ? ']' : '}'}`;
  };
  write(value, '');
  return clip(text);
}
