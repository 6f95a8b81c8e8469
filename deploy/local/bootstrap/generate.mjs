// @ts-check
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, withWorkspaceCommands } from './paths.mjs'
import { run } from './run.mjs'
import { hashOf, isStamped, writeStamp } from './stamp.mjs'

/**
 * Generates code from the .proto files, unless they are unchanged since the last generation.
 *
 * @param {import('./progress.mjs').Deps} deps
 */
export async function generateCode({ env, progress }) {
  const directory = join(root, 'proto')
  const protoFiles = protoFilesIn(directory)
  if (protoFiles.length === 0) return
  const stamp = join(directory, 'gen/.stamp')
  const plugin = 'proto/plugins/protoc-gen-tables.mjs'
  const settings = ['proto/buf.yaml', 'proto/buf.gen.yaml', plugin, 'pnpm-lock.yaml']
  const hash = hashOf({ files: [...protoFiles, ...settings.map((file) => join(root, file))] })
  if (isStamped(stamp, hash)) return
  await progress.step('code', `generating from ${protoFiles.length} .proto files`, () =>
    run('buf', ['generate'], { cwd: directory, env: withWorkspaceCommands(env) }),
  )
  writeStamp(stamp, hash)
}

/** @param {string} directory */
function protoFilesIn(directory) {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.proto') && !file.includes('node_modules'))
    .sort()
    .map((file) => join(directory, file))
}
