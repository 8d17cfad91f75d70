/** The `code` of a system fault (`ENOENT`, `ECONNREFUSED`), or null. Tested by shape: classes differ between realms. */
export function faultCode(error: unknown): string | null {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : null;
}
