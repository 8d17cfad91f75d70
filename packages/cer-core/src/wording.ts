/** A number and its noun: `1 entry`, `0.5 seconds`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : several}`;
}
