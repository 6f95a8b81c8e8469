// @ts-check
import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root, withWorkspaceCommands } from './paths.mjs'
import { run } from './run.mjs'
import { hashOf, isStamped, writeStamp } from './stamp.mjs'

/** Versions of the generators. */
const lockFile = 'pnpm-lock.yaml'

/**
 * Generates the code that is not committed, as far as its sources have changed since the last
 * generation: that of the .proto files, and that of the client from its copy of the OpenAPI
 * document.
 *
 * @param {import('./progress.mjs').Deps} deps
 */
export async function generateCode(deps) {
  await Promise.all([protoCode(), clientCode()].map((code) => generate(code, deps)))
}

/**
 * Builds the app in the browser, if its sources have changed since the last build.
 *
 * @param {import('./progress.mjs').Deps} deps
 */
export async function buildWebApp(deps) {
  await generate(webApp(), deps)
}

/**
 * @typedef {object} Code
 * @property {string} name of the step in the progress
 * @property {string} text what the step does
 * @property {string} folder folder of the generated code, relative to the root
 * @property {string} made one of its files; if it is missing, the code is generated again
 * @property {string[]} sources files, relative to the root
 * @property {[command: string, ...args: string[]]} command
 * @property {string} directory in which the command runs, relative to the root
 */

/** @returns {Code} */
function protoCode() {
  const files = protoFiles()
  return {
    name: 'code',
    text: `generating from ${files.length} .proto files`,
    folder: 'proto/gen',
    made: 'coffer/values.js',
    sources: [...files, 'proto/buf.yaml', 'proto/buf.gen.yaml', ...filesIn('proto/plugins')],
    command: ['buf', 'generate'],
    directory: 'proto',
  }
}

/** @returns {Code} */
function clientCode() {
  return {
    name: 'client',
    text: 'generating from the OpenAPI document',
    folder: 'gateway/client/gen',
    made: 'sdk.gen.ts',
    sources: [
      'gateway/client/openapi.json',
      'gateway/client/build/code.ts',
      'gateway/client/build/copy.ts',
    ],
    command: ['node', '--disable-warning=ExperimentalWarning', 'build/code.ts'],
    directory: 'gateway/client',
  }
}

/** @returns {Code} */
function webApp() {
  const folders = ['gateway/web/src', 'gateway/web/build', 'gateway/web/public']
  // The app contains the help: these pages and their pictures.
  const help = ['docs/using', 'docs/pictures/using']
  const sources = [...folders, ...help, 'gateway/client/src'].flatMap(filesIn)
  const own = ['index.html', 'connect.html', 'settings.ts', 'package.json', 'pnpm-lock.yaml']
  return {
    name: 'web',
    text: 'building the app for browsers',
    folder: 'gateway/web/dist',
    made: 'index.html',
    sources: [...sources, ...own.map((file) => `gateway/web/${file}`), ...clientCode().sources],
    command: ['node', '--disable-warning=ExperimentalWarning', 'build/build.ts'],
    directory: 'gateway/web',
  }
}

/**
 * Generates the code, unless it exists and its stamp has the hash of the sources.
 *
 * @param {Code} code
 * @param {import('./progress.mjs').Deps} deps
 */
async function generate(code, { env, progress }) {
  const { name, text, folder, made, sources, command, directory } = code
  const stamp = join(root, folder, '.stamp')
  const hash = hashOf({ files: [...sources, lockFile].map((file) => join(root, file)) })
  if (isStamped(stamp, hash) && existsSync(join(root, folder, made))) return
  const [program, ...args] = command
  await progress.step(name, text, () =>
    run(program, args, { cwd: join(root, directory), env: withWorkspaceCommands(env) }),
  )
  writeStamp(stamp, hash)
}

/** Returns the .proto files, relative to the root. */
function protoFiles() {
  return filesIn('proto').filter((file) => file.endsWith('.proto'))
}

/**
 * Returns the files in a folder and below it, relative to the root.
 *
 * @param {string} folder
 */
function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}
