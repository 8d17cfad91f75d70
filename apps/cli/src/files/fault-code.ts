/** The `code` of a fault of the system (`ENOENT`, `ECONNREFUSED`), or null. Told by its shape: realms differ in classes. */
export function faultCode(error: unknown): string | null {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : null;
}
