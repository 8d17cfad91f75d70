/** The page of a record on this site. */
export function recordPath(kind: 'certificate' | 'project', hash: string): string {
  return `/${kind === 'project' ? 'p' : 'c'}/${encodeURIComponent(hash)}`;
}
