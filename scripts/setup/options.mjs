// Options of the repository's commands.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Parses the options of a command. `--help` prints the comment at the head of its file and ends it; so does an option that
 * it does not have, with exit code 3.
 * @param {string} file of the command
 * @param {import('node:util').ParseArgsConfig} config
 */
export function readOptions(file, config) {
  try {
    const parsed = parseArgs({ ...config, options: { ...config.options, help: { type: 'boolean' } } });
    if (!parsed.values.help) return parsed;
    console.log(headOf(file));
    process.exit(0);
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
    console.error(`${error.message}\n\n${headOf(file)}`);
    process.exit(3);
  }
}

function headOf(file) {
  const [, head = ''] = /^(?:#!.*\n)?((?:\/\/.*\n)+)/.exec(readFileSync(file, 'utf8')) ?? [];
  return head.replaceAll(/^\/\/ ?/gm, '').trimEnd();
}
