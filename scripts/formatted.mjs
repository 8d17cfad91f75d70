// The format of `npm run format`, for documents that scripts write.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { format } from 'oxfmt';

/**
 * @param {string} file a path, whose ending says what the text is
 * @param {string} text
 * @returns {Promise<string>} the text as `npm run format` leaves it
 */
export async function formatted(file, text) {
  const settings = readFileSync(join(import.meta.dirname, '..', '.oxfmtrc.json'), 'utf8');
  const { $schema, ignorePatterns, ...style } = JSON.parse(settings);
  const { code, errors } = await format(basename(file), text, style);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  return code;
}
