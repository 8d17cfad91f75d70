// Options of the repository's commands.
import { readFileSync } from 'node:fs';
import util from 'node:util';

/**
 * Parses the options of a command. `--help` prints the comment at the head of its file and ends it; so does an option that
 * it does not have, with exit code 3.
 * @param {string} file of the command
 * @param {import('node:util').ParseArgsConfig} config with `strict: false`, only `--help` is read
 */
export function readOptions(file, config = {}) {
  try {
    const parsed = util.parseArgs({ ...config, options: { ...config.options, help: { type: 'boolean' } } });
    if (!parsed.values.help) return parsed;
    console.log(headOf(file));
    process.exit(0);
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
    console.error(`${error.message}\n\n${headOf(file)}`);
    process.exit(3);
  }
}

/** Ends the command, which cannot do what it was asked. */
export function refuse(message) {
  console.error(message);
  process.exit(3);
}

/** The number that an option has. Ends the command when it is not one, or less than `min`. */
export function numberOf(values, name, min = 0) {
  const number = Number(values[name]);
  return number >= min ? number : refuse(`--${name}: must be a number, ${min} or more`);
}

/** Ends the command when a name is not in `known`. @param {string} what is named, as "service" */
export function checkNames(names, known, what) {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) refuse(`unknown ${what}: ${unknown.join(', ')}. Choose from ${known.join(', ')}`);
}

function headOf(file) {
  const [, head = ''] = /^(?:#!.*\n)?((?:\/\/.*\n)+)/.exec(readFileSync(file, 'utf8')) ?? [];
  return head.replaceAll(/^\/\/ ?/gm, '').trimEnd();
}
