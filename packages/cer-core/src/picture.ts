/** Pictures that carry their certificate. */
export { embedCertificate, readPicture, type Picture } from './picture/certificate-chunk.js';
export { judgePicture, type JudgedPicture, type PictureCheck } from './picture/judge-picture.js';
export { isPng } from './picture/png-chunks.js';
