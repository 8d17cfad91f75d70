// A sketch passes anything, whatever the declared types say: the canvas converts as the language does.

export function numberOf(value: unknown): number {
  return Number(value);
}

export function textOf(value: unknown): string {
  return String(value);
}
