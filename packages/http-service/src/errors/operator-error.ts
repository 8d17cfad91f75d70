/**
 * An error for the operator of a service. Its message says what to change and never contains a client's value or a
 * secret, so it may be printed and logged.
 */
export abstract class OperatorError extends Error {
  readonly forOperator = true;
}

/**
 * Whether the message of an error is for the operator. Packages that do not import this one declare `forOperator` on
 * their own classes (`KeyError`, `Pkcs11Error`).
 */
export function isForOperator(error: unknown): error is Error {
  return error instanceof Error && 'forOperator' in error && error.forOperator === true;
}
