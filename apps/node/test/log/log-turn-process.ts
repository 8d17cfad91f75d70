// A process that is killed at a step of its log: DATABASE_URL KEYS_FOLDER ORIGIN STEP. It ends with 0 when its turn has
// fewer steps.
import { takeLogTurn } from './log-turn.js';

const [databaseUrl = '', keysFolder = '', origin = '', endsAt] = process.argv.slice(2);
const end = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
if (!(await takeLogTurn({ databaseUrl, keysFolder, origin, endsAt: Number(endsAt), end }))) process.exitCode = 1;
