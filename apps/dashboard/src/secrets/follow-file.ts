import { statSync } from 'node:fs';

/**
 * Follows a file that another process may replace.
 * @param read returns the content; its errors are thrown here and by the result
 * @returns a function that returns the current content
 */
export function followFile<T>(path: string, read: (path: string) => T): () => T {
  let last = { version: versionOf(path), content: read(path) };
  return () => {
    const version = versionOf(path);
    if (version !== last.version) last = { version, content: read(path) };
    return last.content;
  };
}

function versionOf(path: string): string {
  // Reading reports a missing file.
  const file = statSync(path, { throwIfNoEntry: false });
  return file === undefined ? '' : `${file.mtimeMs}/${file.ino}/${file.size}`;
}
