/** C2SP signed notes, checkpoints, cosignatures and verifier keys. */
export { formatAddCheckpoint, parseAddCheckpoint, type AddCheckpoint } from './note/add-checkpoint.js';
export {
  cosign,
  isEmptyRootRight,
  originHashOf,
  parseCheckpoint,
  signCheckpoint,
  type Checkpoint,
  type SignedCheckpoint,
  type TreeHead,
} from './note/checkpoint.js';
export {
  formatNote,
  formatSignatureLine,
  MAX_SIGNATURE_LINES,
  parseNote,
  verifyLines,
  type SignatureLine,
  type SignedNote,
  type VerifiedLine,
} from './note/signed-note.js';
export { formatVkey, isKeyName, noteKeyOf, parseVkey, type NoteKey, type NoteKeyType } from './note/vkey.js';
