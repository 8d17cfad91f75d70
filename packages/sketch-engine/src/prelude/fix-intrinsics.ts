import { refuseArrayAccessors } from './array-accessors.js';

/**
 * Makes the methods that the engine's own code uses unchangeable: a sketch that replaces one would break what draws it, or
 * be handed the engine's memory. New ones may still be added, but not to typed arrays. After the language is pinned.
 */
export function fixIntrinsics(scope: typeof globalThis): void {
  const typedArray = Reflect.getPrototypeOf(scope.Uint8Array) as { readonly prototype: object };
  const kinds = [
    ...[scope.Uint8Array, scope.Uint8ClampedArray, scope.Int8Array, scope.Uint16Array, scope.Int16Array],
    ...[scope.Uint32Array, scope.Int32Array, scope.Float32Array, scope.Float64Array],
  ].map(({ prototype }): object => prototype);
  refuseArrayAccessors(scope);
  const owners: readonly object[] = [
    typedArray,
    typedArray.prototype,
    ...kinds,
    ...[scope.Array, scope.Map, scope.Set, scope.WeakMap, scope.ArrayBuffer].map(({ prototype }): object => prototype),
    // Spreading and destructuring ask them.
    ...[[], new Map(), new Set(), ''].map((each): object => prototypeOf(each[Symbol.iterator]())),
    scope.Reflect,
    scope.Math,
  ];
  // A member that every object has would end up in loops over the engine's own objects; one of a kind of typed array could
  // come before a method that the kind inherits.
  for (const closed of [scope.Object.prototype, ...kinds]) Reflect.preventExtensions(closed);
  for (const owner of owners) for (const key of Reflect.ownKeys(owner)) fix(owner, key);
}

function prototypeOf(value: object): object {
  return Reflect.getPrototypeOf(value) ?? {};
}

function fix(owner: object, key: PropertyKey): void {
  const descriptor = Reflect.getOwnPropertyDescriptor(owner, key);
  // `Math.random` is replaced when the seed is known.
  if (descriptor?.configurable !== true || key === 'constructor' || key === 'random') return;
  Reflect.defineProperty(owner, key, { configurable: false, ...('value' in descriptor && { writable: false }) });
}
