#!/usr/bin/env node
import { runProgram } from './program.ts'

// What a failed start has opened must not keep the process alive.
process.exit(await runProgram(process.argv.slice(2), process.env))
