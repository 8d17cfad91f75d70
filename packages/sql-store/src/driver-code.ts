/** The code of a driver's or the system's error (an SQLSTATE, `SQLITE_...`, `ECONNREFUSED`), never its message. */
export function driverCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return NO_CODE;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const message = 'message' in error ? String(error.message) : '';
  return WITHOUT_CODE.find(([pattern]) => pattern.test(message))?.[1] ?? NO_CODE;
}

const NO_CODE = 'no code';
/** Messages of `pg`, its pool and Knex without a code; the system's code where it has one for the same. */
const WITHOUT_CODE: readonly (readonly [message: RegExp, code: string])[] = [
  [/^timeout expired$|^Knex: Timeout acquiring a connection/, 'ETIMEDOUT'],
  [/^timeout exceeded when trying to connect$|^Connection terminated due to connection timeout$/, 'ETIMEDOUT'],
  [/^Connection terminated( unexpectedly)?$/, 'ECONNRESET'],
  [/^Query read timeout$/, 'no answer'],
  [/^SASL: .* client password must be a/, 'no password'],
  [/^The server does not support SSL connections$/, 'no TLS'],
];

/** Codes of a statement that fails however often it is repeated, as where the tables do not fit it. */
export const REFUSED_STATEMENT = /^42|^SQLITE_ERROR$/;

const UNKNOWN_AUTHORITY =
  'the certificate of the server is of an unknown authority. Name the file of that authority in DATABASE_URL, as sslrootcert';
const BROKEN = 'the connection to the server broke. Where that continues, check the server and the network';

/** What an operator does about a code of the driver. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['3D000', 'DATABASE_URL names a database that does not exist. Create it, or correct the name'],
  ['28P01', 'the server refuses the password in DATABASE_URL. Correct it, or the password of the role'],
  ['no password', 'the server asks for a password, and DATABASE_URL has none. Add it'],
  [
    '28000',
    'the server does not let the role in DATABASE_URL log in. Correct the name, or allow it in pg_hba.conf; where that requires TLS, add sslmode=verify-full to DATABASE_URL',
  ],
  ['no TLS', 'DATABASE_URL asks for TLS, which the server does not offer. Enable it there, or remove sslmode'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of the server is of another host. Name that host in DATABASE_URL'],
  ['CERT_HAS_EXPIRED', 'the certificate of the server has expired. Renew it'],
  [
    'ERR_INVALID_URL',
    'DATABASE_URL is not a URL. Write # ? / of a password as %23 %3F %2F, and a port of at most 65535',
  ],
  ['ENOENT', 'a file or socket that DATABASE_URL names does not exist. Correct its path'],
  ['42501', 'the role in DATABASE_URL lacks a right. Grant it the tables of this database'],
  ['53300', 'the server has no connection left. Raise max_connections, or close other connections'],
  ['ECONNREFUSED', 'no server listens at the address in DATABASE_URL. Start the database, or correct host and port'],
  ['ENOTFOUND', 'the host in DATABASE_URL has no address. Correct its name'],
  ['EAI_AGAIN', 'the host in DATABASE_URL cannot be looked up. Check the name server of this machine'],
  [
    'ETIMEDOUT',
    'the server in DATABASE_URL gave no connection in time. Check that it runs and is not overloaded, and that no firewall is between',
  ],
  ['ECONNRESET', BROKEN],
  ['EPIPE', BROKEN],
  ['57P03', 'the server starts or stops. Wait until it accepts connections'],
  ['57P01', 'the server stops, or someone ended the connection there. Wait until it accepts connections'],
  ['57P02', 'a process of the server crashed, and it recovers. Wait until it accepts connections, and read its log'],
  ['57P04', 'the database in DATABASE_URL was deleted. Restore a backup, or correct the name'],
  [
    '55000',
    'the server is not in a state for this, as where the database has ALLOW_CONNECTIONS off. Its log says which, and what changes that',
  ],
  ['55P03', 'a lock was not free within the lock_timeout of the server. Find who holds it in pg_locks'],
  [
    '25006',
    'the server refuses to write: it is a standby, or default_transaction_read_only is on. Name the primary in DATABASE_URL, or switch that off',
  ],
  ['57014', 'the server ended a statement. Raise its statement_timeout, or find what delays it in pg_stat_activity'],
  ['no answer', 'the server did not answer a statement in time. Look for locks and load in pg_stat_activity'],
  ['53100', 'the disk of the server is full. Free space on it'],
  ['53200', 'the server has no memory left. Lower its work_mem or max_connections, or give it more'],
  [
    '58030',
    'the disk of the server fails. The log of that server says which file; check the disk before it is used again',
  ],
  ['XX001', 'a table of the database is damaged. Restore a backup; the log of the server names the table'],
  ['XX002', 'an index of the database is damaged. Check its disk, then reindex what the log of the server names'],
  ['SQLITE_FULL', 'the disk is full. Free space on it, but keep the -wal file'],
  [
    'SQLITE_IOERR_WRITE',
    'the disk cannot be written. The log of the kernel says whether it failed or became read-only',
  ],
  ['EROFS', 'the disk is read-only. Make it writable; the log of the kernel says why it is not'],
  ['EACCES', 'this user may not write the file in DATABASE_URL. Correct its owner or mode, and those of its folder'],
  ['EEXIST', 'a folder of the path in DATABASE_URL is a file. Correct the path'],
  ['ENOTDIR', 'a folder of the path in DATABASE_URL is a file. Correct the path'],
  ['SQLITE_NOTADB', 'the file in DATABASE_URL is not an SQLite database. Correct the path, or restore a backup'],
  ['SQLITE_CORRUPT', 'the file in DATABASE_URL is damaged. Restore a backup'],
  [
    'SQLITE_READONLY_DBMOVED',
    'the file in DATABASE_URL was moved, removed or replaced while it was open. Move it back, with the -wal file, or restart on the file that is there now',
  ],
  [
    'SQLITE_READONLY_DIRECTORY',
    'this user may not write the folder of the file in DATABASE_URL, where SQLite makes the -wal and -shm files. Correct its owner or mode',
  ],
  [
    'SQLITE_CANTOPEN',
    'the file in DATABASE_URL, or the -wal or -shm file beside it, cannot be opened. Check that the folder exists, and that this user may write the folder and these files',
  ],
]);

/** Whether the message of `notAvailable` says what happened and what to do. */
export function isExplained(code: string | null): boolean {
  return code !== null && ADVICE.has(code);
}

/** The message for a database that cannot be used. @param code as `driverCodeOf` returns it */
export function notAvailable(code: string): string {
  const advice = ADVICE.get(code);
  return `the database is not available (${code})${advice === undefined ? '' : `: ${advice}`}`;
}
