export { recordedLog, type RecordedLog } from './log-lines.js';
export { connectRaw, type RawConnection } from './raw-http.js';
