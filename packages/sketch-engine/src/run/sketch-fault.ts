import { ProtocolViolation } from '../drawing/violation.js';
import { lineOfError } from '../language/pin-errors.js';
import { SketchRuleError, type SketchSyntaxError } from '../language/pin-syntax.js';
import { insteadOf } from './absent-names.js';
import { MAX_MESSAGE_CHARACTERS } from './visible-message.js';

/** A fault of a sketch, in its own realm. */
export interface SketchFault {
  readonly code: 'RENDER_ERROR' | 'PROTOCOL_VIOLATION';
  readonly message: string;
  readonly line?: number;
}

/** Which of the two functions a sketch has. */
export interface SketchDefinitions {
  readonly setup: boolean;
  readonly draw: boolean;
}

/** Describes why the text of a sketch does not parse. */
export function faultOfSyntax(error: SketchSyntaxError): SketchFault {
  const { message, line } = error;
  const isRule = error instanceof SketchRuleError;
  return {
    code: isRule ? 'PROTOCOL_VIOLATION' : 'RENDER_ERROR',
    message: (isRule ? message : `SyntaxError: ${message}`).slice(0, MAX_MESSAGE_CHARACTERS),
    ...(line !== undefined && { line }),
  };
}

/** Describes what a sketch threw: it may be anything, and its text may be of any length. */
export function faultOf(thrown: unknown): SketchFault {
  const code = thrown instanceof ProtocolViolation ? 'PROTOCOL_VIOLATION' : 'RENDER_ERROR';
  const { text, line } = describe(thrown);
  return { code, message: text.slice(0, MAX_MESSAGE_CHARACTERS), ...(line !== undefined && { line }) };
}

function describe(thrown: unknown): { readonly text: string; readonly line?: number | undefined } {
  try {
    if (!(thrown instanceof Error)) return { text: String(thrown) };
    // A script that does not parse is reported through the call that inserted it.
    const message = thrown.message.replace(/^Failed to execute 'append' on 'Element': /, '');
    const [, unknown] = /^([\w$]+) is not defined$/.exec(message) ?? [];
    const instead = unknown === undefined ? undefined : insteadOf(unknown);
    return {
      text: `${thrown.name}: ${message}${instead === undefined ? '' : `. ${instead}`}`,
      line: lineOfError(thrown),
    };
  } catch {
    return { text: 'the sketch threw something that has no text' };
  }
}
