/** Is anything in there nested deeper than `limit` containers? Looks no deeper than that, so a cycle ends too. */
export function exceedsDepth(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit <= 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const inner of members) {
    if (typeof inner === 'object' && exceedsDepth(inner, limit - 1)) return true;
  }
  return false;
}
