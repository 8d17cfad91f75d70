/** Is anything in there nested deeper than `limit` containers? Looks no deeper than that, so a cycle ends too. */
export function exceedsDepth(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit <= 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((inner) => typeof inner === 'object' && exceedsDepth(inner, limit - 1));
}
