import { heldContentOf } from '../values/held-json.js';
import type { Json } from '../json.js';
import type { CallDescription } from '../seal/execution-of.js';
import type { ContentPart, Redaction } from '../settings.js';

/**
 * The call with masked content; its signal states what was masked, and by which rules. An answer of which only the hash
 * of its bytes is known stays as it is.
 * @throws TypeError for a value that JSON does not hold, and whatever the redaction throws
 */
export function redacted(call: CallDescription, redaction: Redaction | undefined): CallDescription {
  if (redaction === undefined) return call;
  const masked = (value: Json, part: ContentPart): Json => {
    const result = redaction.redact(value, part) as Json | undefined;
    // What rules return that change the value itself, and forget to return it.
    if (result === undefined || result === null) throw new TypeError(`redaction: must return the masked ${part}`);
    // A promise is refused below; without this its rejection would end the program.
    if (result instanceof Promise) result.catch(() => undefined);
    return heldContentOf(result);
  };
  const { input, output, outputSha256, inputText: _, ...rest } = call;
  const parts: ContentPart[] = output === null ? ['input'] : ['input', 'output'];
  return {
    ...rest,
    input: masked(input, 'input'),
    output: output === null ? null : masked(output, 'output'),
    // The hash of the answer as it was sent would confirm a guess of what was masked.
    outputSha256: output === null ? outputSha256 : null,
    payload: { ...rest.payload, redactedBy: redaction.name, redacted: parts },
  };
}
