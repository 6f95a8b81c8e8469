// @ts-check
import { FatalError } from './fatal-error.mjs'
import { buildWebApp, generateCode } from './generate.mjs'
import { continueUnderNode24 } from './handover.mjs'
import { installBrowserPackages, installPackages, installWebPackages } from './install.mjs'
import { createProgress } from './progress.mjs'
import { testEnvironment } from './test-environment.mjs'
import { prepareBinaries } from './tools.mjs'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Exit code of a script that failed or was killed; wrong usage has 2. */
const failureCode = 1

/**
 * @typedef {object} Command
 * @property {((env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv) | null} servers returns the
 *   environment whose settings may name running servers; null if the command needs no servers
 * @property {string} script the file that runs under Node 24, relative to this directory
 * @property {boolean} [hasBrowser] whether it runs or compiles the tests in a browser
 * @property {boolean} [hasWeb] whether it serves or compiles the app in the browser
 * @property {boolean} [renewsSources] whether it changes files from which code is generated
 * @property {string} [afterFailure] the file that runs when the script has failed or was killed
 */

const ofBrowser = { hasBrowser: true, hasWeb: true }

/** @type {Map<string, Command>} */
const commands = new Map([
  [
    'start',
    {
      servers: (env) => env,
      script: '../../cli/src/commands/start.ts',
      hasWeb: true,
      afterFailure: '../src/stop-leftovers.ts',
    },
  ],
  ['test', { servers: testEnvironment, script: '../src/test.ts', ...ofBrowser }],
  ['test:long', { servers: testEnvironment, script: '../src/test-long.ts', ...ofBrowser }],
  ['release', { servers: null, script: '../src/release.ts' }],
  ['tools', { servers: null, script: '../../../test/packaging/tools/tools.ts' }],
  ['bench', { servers: testEnvironment, script: '../../../test/bench/bench.ts' }],
  ['bench:hourly', { servers: testEnvironment, script: '../../../test/bench/hourly/advance.ts' }],
  ['bench:flat', { servers: testEnvironment, script: '../../../test/bench/flat/sizes.ts' }],
  ['bench:traces', { servers: testEnvironment, script: '../../../test/bench/traces.ts' }],
  ['bench:files', { servers: testEnvironment, script: '../../../test/bench/files/files.ts' }],
  ['bench:feed', { servers: testEnvironment, script: '../../../test/bench/syncs/feed.ts' }],
  [
    'bench:webhooks',
    { servers: testEnvironment, script: '../../../test/bench/webhooks/webhooks.ts' },
  ],
  [
    'bench:aggregator',
    { servers: testEnvironment, script: '../../../test/bench/syncs/aggregator.ts' },
  ],
  [
    'pictures',
    { servers: testEnvironment, script: '../../../test/browser/pictures.ts', ...ofBrowser },
  ],
  [
    'bench:web',
    { servers: testEnvironment, script: '../../../test/browser/bench.ts', ...ofBrowser },
  ],
  ['corpus', { servers: null, script: '../../../test/corpus/corpus.ts' }],
  ['coffer', { servers: null, script: '../../cli/src/coffer.ts' }],
  ['check', { servers: null, script: '../src/check.ts', ...ofBrowser }],
  ['examples', { servers: testEnvironment, script: '../../../test/examples/record.ts' }],
  [
    'generate',
    { servers: null, script: '../../../gateway/client/build/generate.ts', renewsSources: true },
  ],
  ['package', { servers: null, script: '../../../gateway/client/build/package.ts' }],
])

/**
 * Prepares the machine for one command, runs the command and sets the exit code. Skips steps that
 * an earlier run has completed, so later runs need no network.
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
  await orExit(() => prepare(command, env))
  const { script, afterFailure } = command
  process.exitCode = await continueUnderNode24({ script, args, env })
  if (afterFailure !== undefined && process.exitCode === failureCode) {
    await continueUnderNode24({ script: afterFailure, args: [], env })
  }
  if (command.renewsSources && process.exitCode === 0) {
    await orExit(() => generateCode({ env, progress: createProgress() }))
  }
}

/**
 * Does a step of the preparation. If it throws a FatalError, prints the message and exits.
 *
 * @param {() => Promise<void>} step
 */
async function orExit(step) {
  try {
    await interruptible(step)
  } catch (error) {
    if (!(error instanceof FatalError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

/**
 * @param {Command} command
 * @param {NodeJS.ProcessEnv} env
 */
async function prepare({ servers, hasBrowser = false, hasWeb = false }, env) {
  const progress = createProgress()
  const install = async () => {
    await installPackages({ env, progress })
    // One after the other: two first runs of npx at a time would write the same files.
    if (hasBrowser) await installBrowserPackages({ env, progress })
    if (hasWeb) await installWebPackages({ env, progress })
  }
  await Promise.all([
    install(),
    servers === null ? null : prepareBinaries({ env: servers(env), progress }),
  ])
  await generateCode({ env, progress })
  if (hasWeb) await buildWebApp({ env, progress })
}

/**
 * Runs `work`. A signal exits this process; `run` kills its child processes at the exit.
 *
 * @param {() => Promise<void>} work
 */
async function interruptible(work) {
  const leave = () => process.exit(1)
  for (const signal of signals) {
    process.on(signal, leave)
  }
  await work()
  for (const signal of signals) {
    process.off(signal, leave)
  }
}
