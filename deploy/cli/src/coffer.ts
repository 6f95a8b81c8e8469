#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Compile cache: the next start loads compiled code. The cache is in node_modules, which must be
// trusted like the code itself. If the folder is not writable, each start compiles again.
const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
enableCompileCache(compiled)
// Worker threads get the folder of the compile cache by this environment variable.
process.env.NODE_COMPILE_CACHE ??= compiled

const { runProgram } = await import('./program/program.ts')
// Explicit exit: connections that a failed start leaves open would keep the process alive.
process.exit(await runProgram(process.argv.slice(2), process.env))
