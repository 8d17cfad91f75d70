/**
 * Makes the methods that the engine's own code uses unchangeable: a sketch that replaces one would break what draws it.
 * New ones may still be added. After the language is pinned.
 */
export function fixIntrinsics(scope: typeof globalThis): void {
  const typedArray = Reflect.getPrototypeOf(scope.Uint8Array) as { readonly prototype: object };
  const owners: readonly object[] = [
    typedArray,
    typedArray.prototype,
    ...[scope.Array, scope.Map, scope.Set, scope.WeakMap, scope.ArrayBuffer].map(({ prototype }): object => prototype),
    ...[scope.Uint8Array, scope.Uint8ClampedArray, scope.Int8Array, scope.Uint16Array, scope.Int16Array].map(
      ({ prototype }): object => prototype,
    ),
    ...[scope.Uint32Array, scope.Int32Array, scope.Float32Array, scope.Float64Array].map(
      ({ prototype }): object => prototype,
    ),
    scope.Reflect,
    scope.Math,
  ];
  // A member that every object has would end up in loops over the engine's own objects.
  Reflect.preventExtensions(scope.Object.prototype);
  for (const owner of owners) {
    for (const key of Reflect.ownKeys(owner)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(owner, key);
      // `Math.random` is replaced when the seed is known.
      if (descriptor?.configurable !== true || key === 'constructor' || key === 'random') continue;
      Reflect.defineProperty(owner, key, {
        configurable: false,
        ...('value' in descriptor && { writable: false }),
      });
    }
  }
}
