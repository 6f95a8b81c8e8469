#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// What Node compiles is kept for the next start, where a package's caches are: as trusted as the
// code itself. Without a folder that can be written, each start compiles anew.
const compiled = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url))
enableCompileCache(compiled)
// Threads take the folder from the environment.
process.env.NODE_COMPILE_CACHE ??= compiled

const { runProgram } = await import('./program.ts')
// What a failed start has opened must not keep the process alive.
process.exit(await runProgram(process.argv.slice(2), process.env))
