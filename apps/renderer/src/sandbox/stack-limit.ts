import { stackBytes } from '../browser/processes.js';
import { renderFailure, unavailable } from '../errors.js';
import type { SketchPage } from './sketch-page.js';

type PageProcesses = Pick<SketchPage, 'pids'>;

/** Maximum stack of a sketch's process, in bytes; an idle page has used 160 KiB. */
const MAX_STACK_BYTES = 960 * 1024;

/**
 * Refuses a render whose page has ever used more stack. Where a recursion ends at the end of the stack is not the same in
 * every run, and the language discards every error of an iterator's `return` method when the iteration ends by a throw, so
 * that no code in the page sees that the stack ended. The engine's stack is several times as large as this limit: whatever
 * reaches its end has exceeded the limit before.
 * @throws ServiceError RENDER_ERROR; RENDERER_UNAVAILABLE where the page's stack is not known
 * @see docs/decisions/0043-the-kernel-counts-the-stack.md
 */
export function assertShallow(page: PageProcesses): void {
  const used = usedStack(page);
  if (used === undefined) throw unavailable("the stack of the sketch's page is not known: try again");
  if (used > MAX_STACK_BYTES)
    throw renderFailure(
      'RENDER_ERROR',
      `the sketch used more than ${MAX_STACK_BYTES / 1024} KiB of stack: it recurses too deeply, or calls with too many arguments`,
    );
}

/** Stack that a page has used, in bytes; undefined where the kernel does not report it, or the page has no process. */
export function usedStack({ pids }: PageProcesses): number | undefined {
  try {
    return pids.length === 0 ? undefined : Math.max(...pids.map(stackBytes));
  } catch {
    return undefined;
  }
}
