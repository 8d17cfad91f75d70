import { isForOperator } from '../errors/operator-error.js';
import { ServiceError } from '../errors/service-error.js';

/** An error as the log shows it. */
export interface DescribedError {
  readonly type: string;
  readonly code?: string;
  readonly syscall?: string;
  readonly message?: string;
  readonly frames?: readonly string[];
  readonly cause?: DescribedError;
}

const MAX_CAUSES = 4;
const MAX_FRAMES = 20;

/**
 * Type, code and stack frames of an error, without frames where `isExplained` is set. Its message only where it is safe to
 * log: database drivers and parsers put values of clients into their messages.
 */
export function describeError(error: unknown, depth = 1): DescribedError | undefined {
  if (error === undefined || error === null) return undefined;
  if (!(error instanceof Error)) return { type: typeof error };
  const cause = depth < MAX_CAUSES ? describeError(error.cause, depth + 1) : undefined;
  const code = textMember(error, 'code');
  const syscall = textMember(error, 'syscall');
  return {
    type: error.name,
    ...(code !== undefined && { code }),
    ...(syscall !== undefined && { syscall }),
    ...(isSafeToLog(error) && { message: error.message }),
    ...(!isExplained(error) && { frames: framesOf(error) }),
    ...(cause !== undefined && { cause }),
  };
}

/** Messages of these classes name fields and rules only. */
function isSafeToLog(error: Error): boolean {
  return error instanceof ServiceError || isForOperator(error);
}

/** A condition of the machine, such as a full disk, and not of the code. */
function isExplained(error: Error): boolean {
  return isForOperator(error) && 'isExplained' in error && error.isExplained === true;
}

function textMember(error: Error, name: 'code' | 'syscall'): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(value) ? value : undefined;
}

/** The stack without the message, whose lines may look like frames. */
function framesOf({ stack, message }: Error): string[] {
  const messageAt = stack?.indexOf(message) ?? -1;
  if (stack === undefined || messageAt < 0) return [];
  return stack
    .slice(messageAt + message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, MAX_FRAMES);
}
