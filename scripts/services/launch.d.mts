/** Arguments of `node` for a service: its main program, with its launch settings, if any. */
export function launchArguments(root: string, app: string): string[];
/** The main program of a service. */
export function mainOf(root: string, app: string): string;
