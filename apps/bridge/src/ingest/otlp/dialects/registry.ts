import type { Dialect } from '../spans/model-call.js';
import type { Span } from '../spans/span.js';
import { aiSdk } from './ai-sdk.js';
import { genAi } from './gen-ai.js';
import { genAiEvents } from './gen-ai-events.js';
import { logfire } from './logfire.js';
import { openInference } from './open-inference.js';
import { traceloop } from './traceloop.js';

/**
 * In this order: dialects that also write some `gen_ai.*` come before the conventions themselves, or a call would be
 * read without its content.
 */
export const DIALECTS: readonly Dialect[] = [aiSdk, openInference, traceloop, logfire, genAiEvents, genAi];

/** The dialect in which a span describes a call of a model; null when it describes none. */
export function dialectOf(span: Span): Dialect | null {
  for (const dialect of DIALECTS) {
    const found = dialect.recognise(span);
    if (found !== null) return found === 'call' ? dialect : null;
  }
  return null;
}
