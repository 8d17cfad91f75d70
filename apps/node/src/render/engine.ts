import { isJsonObject, isSameJson, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { ServiceError } from '@cer/http-service';
import { rendererUnavailable, type EngineOrder } from './renderer-client.js';

/** The engines: `portable` draws the same picture on every machine, the browser's own only on machines of one kind. */
const ENGINE_NAMES = ['portable', 'chromium-native'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** The engine that a request names, in whole or by its name. */
export interface RequestedEngine {
  readonly name: EngineName;
  /** The engine object of a certificate, which must be the one that draws. */
  readonly identity: JsonObject | null;
  /** Of the certificate that the request repeats; it decides about the pixels of `chromium-native`. */
  readonly rendererVersion: string | null;
}

/** An engine is named by a string, or by the object that a certificate has. */
export function engineFaults(value: JsonValue | undefined, path: string): string[] {
  if (value === undefined) return [];
  const name = isJsonObject(value) ? member(value, 'name') : value;
  return isEngineName(name) ? [] : [`${path}: must name one of ${ENGINE_NAMES.join(', ')}`];
}

/** Certificates without an engine are older than the portable one: their `rendererVersion` names the browser's own. */
export function requestedEngine(
  engine: JsonValue | undefined,
  rendererVersion: JsonValue | undefined,
): RequestedEngine {
  const identity = isJsonObject(engine) ? engine : null;
  const name = identity === null ? engine : member(identity, 'name');
  const version = typeof rendererVersion === 'string' ? rendererVersion : null;
  return {
    name: isEngineName(name) ? name : version === null ? 'portable' : 'chromium-native',
    identity,
    rendererVersion: version,
  };
}

const IDENTITY_MEMBERS = ['name', 'version', 'wasmHash', 'mathHash', 'fontsHash'] as const;

/** The engine for the renderer's request; the renderer looks for older versions of the portable engine. */
export function engineOrder({ name, identity }: RequestedEngine): EngineOrder {
  if (identity === null || name !== 'portable') return name;
  return Object.fromEntries(IDENTITY_MEMBERS.map((part) => [part, member(identity, part) ?? null]));
}

/**
 * The engine that drew, as the renderer describes it.
 * @throws ServiceError RENDERER_UNAVAILABLE for a renderer that does not name it
 */
export function engineOf(rendered: JsonObject): JsonObject {
  const engine = member(rendered, 'engine');
  if (!isJsonObject(engine)) throw rendererUnavailable('the answer of the renderer lacks engine');
  return engine;
}

/**
 * An engine that a request names by its object, and by a `rendererVersion` beside it, is the one that drew.
 * @throws ServiceError CANNOT_BE_JUDGED
 */
export function assertNamedEngine(requested: RequestedEngine, rendered: JsonObject): void {
  const { identity, rendererVersion } = requested;
  if (identity === null) return;
  if (!isSameJson(identity, engineOf(rendered)))
    throw cannotBeJudged('this node draws with another version of the engine');
  if (requested.name !== 'portable' && rendererVersion !== null) assertSameRenderer(rendererVersion, rendered);
}

/**
 * A picture counts as different only where the same engine drew it: on another one, the difference proves nothing.
 * @throws ServiceError CANNOT_BE_JUDGED
 */
export function assertSameEngine(requested: RequestedEngine, rendered: JsonObject): void {
  assertNamedEngine(requested, rendered);
  const { rendererVersion } = requested;
  if (requested.name === 'portable') return;
  if (rendererVersion === null)
    throw cannotBeJudged('chromium-native is bound to its machine: snapshot.rendererVersion must say which');
  assertSameRenderer(rendererVersion, rendered);
}

function assertSameRenderer(rendererVersion: string, rendered: JsonObject): void {
  if (rendererVersion !== member(rendered, 'rendererVersion'))
    throw cannotBeJudged('chromium-native is bound to its machine, and this node has another rendererVersion');
}

function cannotBeJudged(message: string): ServiceError {
  return new ServiceError({ code: 'CANNOT_BE_JUDGED', message });
}

function isEngineName(value: JsonValue | undefined): value is EngineName {
  return ENGINE_NAMES.some((name) => name === value);
}
