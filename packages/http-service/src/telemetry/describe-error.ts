import { ConfigError } from '../config/config-error.js';
import { SecretFileError } from '../config/secret.js';
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

/** Whether the message of an error holds no stranger's value, by the class that it is of. */
export type OwnWords = (error: Error) => boolean;

/**
 * What failed and where: type, code and stack frames. Not the message, unless the class is one of ours whose messages
 * name fields and rules only: a database driver or a parser puts a stranger's values into its messages.
 * @param hasOwnWords knows further classes of that kind, of the app
 */
export function describeError(
  error: unknown,
  hasOwnWords: OwnWords = () => false,
  depth = 1,
): DescribedError | undefined {
  if (error === undefined || error === null) return undefined;
  if (!(error instanceof Error)) return { type: typeof error };
  const cause = depth < MAX_CAUSES ? describeError(error.cause, hasOwnWords, depth + 1) : undefined;
  const code = textMember(error, 'code');
  const syscall = textMember(error, 'syscall');
  return {
    type: error.name,
    ...(code !== undefined && { code }),
    ...(syscall !== undefined && { syscall }),
    ...((namesNoValue(error) || hasOwnWords(error)) && { message: error.message }),
    frames: framesOf(error),
    ...(cause !== undefined && { cause }),
  };
}

function namesNoValue(error: Error): boolean {
  return error instanceof ServiceError || error instanceof ConfigError || error instanceof SecretFileError;
}

function textMember(error: Error, name: 'code' | 'syscall'): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(value) ? value : undefined;
}

/** The stack behind the message; a message may itself hold lines that look like frames, so it is cut off first. */
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
