/**
 * Takes from the page's main world everything a sketch has no use for. Names that the platform makes undeletable
 * (`window`, `document`, `location`) stay, but lead to objects without members.
 * @param keeps the names that stay, with their prototypes
 */
export function confine(scope: typeof globalThis, keeps: readonly string[]): void {
  const kept = new Set(keeps);
  const names = Object.getOwnPropertyNames(scope);
  for (const name of names) {
    // The prototype of all iterators is part of the language.
    if (kept.has(name) || name === 'Iterator') continue;
    const value: unknown = Object.getOwnPropertyDescriptor(scope, name)?.value;
    if (typeof value === 'function') emptyInterface(value);
  }
  for (const name of names) if (!kept.has(name) && name !== 'console') Reflect.deleteProperty(scope, name);
  for (
    let level: unknown = Reflect.getPrototypeOf(scope);
    isObject(level) && level !== Object.prototype;
    level = Reflect.getPrototypeOf(level)
  ) {
    empty(level);
  }
  if (kept.has('CanvasRenderingContext2D')) keepCanvasToDrawing(scope);
}

function emptyInterface(constructor: { readonly prototype: unknown }): void {
  if (isObject(constructor.prototype)) empty(constructor.prototype);
}

function empty(target: object): void {
  for (const key of Reflect.ownKeys(target)) Reflect.deleteProperty(target, key);
}

/** The context keeps what draws and reads; what reports on the page or the machine goes. */
function keepCanvasToDrawing(scope: typeof globalThis): void {
  for (const name of ['drawFocusIfNeeded', 'getContextAttributes', 'isContextLost']) {
    Reflect.deleteProperty(scope.CanvasRenderingContext2D.prototype, name);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
