export { recordedLog, type RecordedLog } from './log-lines.js';
export { answerFaults, HOSTILE_FIELDS, HOSTILE_HOST } from './hostile-request.js';
export { connectRaw, type RawConnection } from './raw-http.js';
