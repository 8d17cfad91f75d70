// `tsc` of TypeScript 7. node_modules/.bin/tsc may be the one of TypeScript 6, which the package `typescript` brings: of
// two packages with a command of one name, npm links either.
import '../node_modules/typescript-7/bin/tsc';
