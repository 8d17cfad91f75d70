import type { Transparency } from '@cer/cer-core/verify';
import { printable } from '../printable.js';
import { row, type Row } from './lay-out.js';

/**
 * The statements of a log and its witnesses about the receipt. Names of witnesses are those that the caller's policy
 * gives.
 */
export function logRows({ status, code, origin, index, treeSize, ...more }: Transparency): readonly Row[] {
  if (status === 'not-checked') return [];
  const { loggedAfter, loggedBy, witnesses, detail } = more;
  const log = origin === null ? [] : [row('Log', printable(origin))];
  const remark =
    code === null ? [] : [row(status === 'included' ? 'Remark' : 'Fault', `${detail ?? 'is not accepted'} [${code}]`)];
  if (status !== 'included') return [...log, ...remark];
  const names = witnesses.length === 0 ? 'none; your policy asks for none' : witnesses.map((name) => printable(name));
  return [
    ...log,
    // People count from 1, proofs from 0.
    ...(index === null
      ? []
      : [row('Place', `entry ${String(index + 1)} of ${String(treeSize)} (index ${String(index)})`)]),
    ['Witnesses', typeof names === 'string' ? names : `${names.join(', ')} (as your policy names them)`],
    ...(loggedAfter === null ? [] : [row('Not before', `${loggedAfter} (witnesses had not seen it then)`)]),
    ...(loggedBy === null ? [] : [row('Not after', `${loggedBy} (witnesses had seen it then)`)]),
    ...remark,
  ];
}
