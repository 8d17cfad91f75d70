const plainName = /^[A-Za-z_$][\w$-]*$/;
const longestShownName = 64;

/** Appends a member name or an array index: `a`, `a.b`, `a[3]`, `a["odd name"]`. Long names are cut: a path is for people. */
export function appendPath(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  const shown = step.length > longestShownName ? `${step.slice(0, longestShownName)}…` : step;
  if (!plainName.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === '' ? shown : `${path}.${shown}`;
}

export function formatPath(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(appendPath, '');
}
