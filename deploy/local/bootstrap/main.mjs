// @ts-check
import { FatalError } from './fatal-error.mjs'
import { generateCode } from './generate.mjs'
import { continueUnderNode24 } from './handover.mjs'
import { installPackages } from './install.mjs'
import { createProgress } from './progress.mjs'
import { testEnvironment } from './test-environment.mjs'
import { prepareBinaries } from './tools.mjs'

/** Whether an npm script needs servers, and the file, from here, that goes on under Node 24. */
const commands = new Map(
  Object.entries({
    start: { infrastructure: true, script: '../src/start.ts' },
    test: { infrastructure: true, script: '../src/test.ts' },
    check: { infrastructure: false, script: '../src/check.ts' },
    generate: { infrastructure: false, script: null },
  }),
)

/**
 * Prepares the machine for one command and runs it; sets the exit code.
 * Everything it does is skipped when it was done before, so a warm start works offline.
 *
 * @param {string} name
 * @param {string[]} args passed on to the command's script
 * @param {NodeJS.ProcessEnv} env
 */
export async function main(name, args, env) {
  const command = commands.get(name)
  if (command === undefined) {
    console.error(`Unknown command "${name}": one of ${[...commands.keys()].join(', ')}.`)
    process.exitCode = 2
    return
  }
  const progress = createProgress()
  const serverEnvironment = name === 'test' ? testEnvironment(env) : env
  try {
    await Promise.all([
      installPackages({ env, progress }),
      command.infrastructure ? prepareBinaries({ env: serverEnvironment, progress }) : null,
    ])
    await generateCode({ env, progress })
  } catch (error) {
    if (!(error instanceof FatalError)) {
      throw error
    }
    console.error(error.message)
    process.exit(1)
  }
  if (command.script !== null) {
    process.exitCode = await continueUnderNode24({ script: command.script, args, env })
  }
}
