export function servicePorts(env?: Readonly<Record<string, string | undefined>>): Readonly<Record<string, number>>;
