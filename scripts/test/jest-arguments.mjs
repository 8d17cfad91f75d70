/**
 * The arguments of jest: words before the first flag that name a workspace select it, everything else is jest's.
 * @param {readonly string[]} args of `npm test --`
 * @param {readonly string[]} names of the workspaces
 * @returns {string[]}
 */
export function jestArguments(args, names) {
  const firstFlag = args.findIndex((arg) => arg.startsWith('-'));
  const words = firstFlag < 0 ? args : args.slice(0, firstFlag);
  const flags = args.slice(words.length);
  const selected = words.filter((word) => names.includes(word));
  const patterns = words.filter((word) => !names.includes(word));
  // The flag takes every word up to the next flag, so nothing but the names may follow it.
  return [...patterns, ...(selected.length > 0 ? ['--selectProjects', ...selected] : []), ...flags];
}
