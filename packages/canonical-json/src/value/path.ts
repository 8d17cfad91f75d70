const plainName = /^[A-Za-z_$][\w$-]*$/;
const longestShownName = 64;

/** A name as people are shown it. A long one is cut, since a hostile name can be repeated in many faults. */
export function shownName(name: string): string {
  return name.length > longestShownName ? `${name.slice(0, longestShownName)}…` : name;
}

/** Appends a member name or an array index: `a`, `a.b`, `a[3]`, `a["odd name"]`. Long names are cut: a path is for people. */
export function appendPath(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  const shown = shownName(step);
  if (!plainName.test(shown)) return `${path}[${JSON.stringify(shown)}]`;
  return path === '' ? shown : `${path}.${shown}`;
}

export function formatPath(steps: readonly (string | number)[]): string {
  return steps.reduce<string>(appendPath, '');
}
