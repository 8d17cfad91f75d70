import { readFileSync } from 'node:fs';
import type { Route } from '@cer/http-service';
import { asset, ICON, stylesheet } from '@cer/pages';

export const STYLESHEET = stylesheet('dashboard.css', new URL('../../assets/dashboard.css', import.meta.url));

/** Completes forms by passkeys; the only script. */
export const PASSKEY_SCRIPT = asset('passkeys.js', readFileSync(new URL('../../assets/passkeys.js', import.meta.url)));

/** The files that pages refer to. */
export const ASSET_ROUTES: readonly Route[] = [STYLESHEET.route, PASSKEY_SCRIPT.route, ICON.route];
