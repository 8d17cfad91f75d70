import type { Io } from '../io.js';

/** Whether the person at the terminal types yes. */
export async function agrees(io: Pick<Io, 'stdin' | 'stdout'>): Promise<boolean> {
  io.stdout.write('\nCompare the fingerprints with those that you know. Sign this? Type yes: ');
  let line = '';
  for await (const chunk of io.stdin) {
    line += new TextDecoder().decode(chunk);
    if (line.includes('\n') || line.length > 100) break;
  }
  return line.split('\n')[0]?.trim() === 'yes';
}
