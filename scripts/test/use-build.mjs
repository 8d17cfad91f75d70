// Tests run what users run, as processes and in browsers: a jest globalSetup brings it up to date.
import { join } from 'node:path';
import { ensureBuild } from '../setup/ensure-build.mjs';

const root = join(import.meta.dirname, '..', '..');
let building;

/** Builds what is stale, once for the whole run, whichever workspaces ask for it. */
export default function useBuild() {
  building ??= ensureBuild({ root, log: () => undefined });
  return building;
}
