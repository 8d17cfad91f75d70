/** The code of a system error, such as `ENOENT`. Structural: errors of another realm are not instances of `Error`. */
export function errorCode(error: unknown): string | null {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : null;
  return typeof code === 'string' ? code : null;
}
