import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLISHED, ROOT } from './consumer.js';

export interface ReadmeExample {
  readonly code: string;
  /** The output that the comments after `console.log` promise. */
  readonly prints: readonly string[];
}

/** The first `js` block of a package's README. */
export function readmeExample(name: keyof typeof PUBLISHED): ReadmeExample {
  const readme = readFileSync(join(ROOT, PUBLISHED[name], 'README.md'), 'utf8');
  const code = /^```js\n([\s\S]*?)^```$/m.exec(readme)?.[1];
  if (code === undefined) throw new Error(`the README of ${name} has no example`);
  const prints = [...code.matchAll(/^ *console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text = '']) => text);
  return { code, prints };
}
