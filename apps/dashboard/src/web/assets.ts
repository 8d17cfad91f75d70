import type { Route } from '@cer/http-service';
import { ICON, stylesheet } from '@cer/pages';

export const STYLESHEET = stylesheet('dashboard.css', new URL('../../assets/dashboard.css', import.meta.url));

/** The files that pages refer to. */
export const ASSET_ROUTES: readonly Route[] = [STYLESHEET.route, ICON.route];
