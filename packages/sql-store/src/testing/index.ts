export { postgresTestDatabase, sqliteTestDatabase, type TestDatabase } from './test-database.js';
