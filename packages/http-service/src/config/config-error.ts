import { OperatorError } from '../errors/operator-error.js';

/** Every bad variable of a configuration, one line each: its name and the rule, never its value. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}
