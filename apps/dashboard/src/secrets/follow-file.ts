import { statSync } from 'node:fs';

/**
 * Follows a file that another process may replace.
 * @param read returns the content; its errors are thrown here and by the result @returns a function that returns the
 *   current content
 */
export function followFile<T>(path: string, read: (path: string) => T): () => T {
  let last = { stamp: stampOf(path), content: read(path) };
  return () => {
    const stamp = stampOf(path);
    if (stamp !== last.stamp) last = { stamp, content: read(path) };
    return last.content;
  };
}

function stampOf(path: string): string {
  // Reading reports a missing file.
  const file = statSync(path, { throwIfNoEntry: false });
  return file === undefined ? '' : `${file.mtimeMs}/${file.ino}/${file.size}`;
}
