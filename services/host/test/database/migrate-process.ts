import { migrate, type Tables } from '../../src/database/migrations.ts'

/** Migrates the tables of its argument (JSON), as a process that a test can kill. */
const tables: Tables = JSON.parse(process.argv[2] ?? '')
await migrate(tables)
