/** The code of an error of the system, such as `EACCES`. */
export function errorCodeOf(error: unknown): string {
  const named = typeof error === 'object' && error !== null && 'code' in error;
  return named && typeof error.code === 'string' ? error.code : 'unknown fault';
}
