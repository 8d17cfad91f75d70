/** JSON_SYNTAX: not JSON. JSON_NOT_STRICT: JSON that breaks a strict rule. NO_CANONICAL_FORM: not a JSON value, or too deep. */
export type JsonErrorCode = 'JSON_SYNTAX' | 'JSON_NOT_STRICT' | 'NO_CANONICAL_FORM';

/**
 * Why a text or a value was refused. `path` is a JSON path like `snapshot.signals[2].type`, empty for the whole, and
 * `rule` the rule that was broken; neither quotes a value.
 */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly code: JsonErrorCode;
  readonly path: string;
  readonly rule: string;

  constructor(code: JsonErrorCode, path: string, rule: string) {
    super(path === '' ? rule : `${path}: ${rule}`);
    this.code = code;
    this.path = path;
    this.rule = rule;
  }
}
