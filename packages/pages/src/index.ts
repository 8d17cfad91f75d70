/** HTML pages of a service: document frame, style sheet, cookies, headers, the page for unknown paths, and the routes of a service's state. */
export { asset, ICON, stylesheet, type Asset } from './assets.js';
export { browserOrigin } from './browser-origin.js';
export { clearedCookie, cookieValue, hostCookie } from './cookies.js';
export { renderDocument, type SignedInHeader } from './document.js';
export { html, type Html, type HtmlValue } from './html.js';
export { notFoundContent } from './not-found.js';
export { pageHeaders } from './page-headers.js';
export { isSameOrigin } from './same-origin.js';
export { isFromTheFuture, isTouchDue, type SessionTimes } from './session-times.js';
export { stateRoutes } from './state-routes.js';
export { visible } from './visible.js';
