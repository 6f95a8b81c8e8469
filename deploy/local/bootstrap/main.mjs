// @ts-check
import { FatalError } from './fatal-error.mjs'
import { generateCode } from './generate.mjs'
import { continueUnderNode24 } from './handover.mjs'
import { installPackages } from './install.mjs'
import { createProgress } from './progress.mjs'
import { prepareBinaries } from './tools.mjs'

/** What each npm script needs, and the script that goes on under Node 24. */
const commands = new Map(
  Object.entries({
    start: { infrastructure: true, script: 'deploy/local/src/start.ts' },
    test: { infrastructure: true, script: 'deploy/local/src/test.ts' },
    bench: { infrastructure: true, script: 'deploy/local/src/bench.ts' },
    check: { infrastructure: false, script: 'deploy/local/src/check.ts' },
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
  try {
    await Promise.all([
      installPackages({ env, progress }),
      command.infrastructure ? prepareBinaries({ env, progress }) : null,
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
