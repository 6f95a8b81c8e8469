// @ts-check
import { join } from 'node:path'
import { FatalError } from './fatal-error.mjs'
import { findOnPath } from './find-on-path.mjs'
import { root } from './paths.mjs'
import { run } from './run.mjs'

/**
 * Builds a server from the Go module whose version go.mod and go.sum pin.
 *
 * @param {import('./tool-table.mjs').Tool} tool
 * @param {{ directory: string } & import('./progress.mjs').Deps} deps
 * @returns {Promise<string>} path of the binary, inside the directory
 * @throws {FatalError} without Go; when the build fails, with the last lines of its output
 */
export async function buildWithGo(tool, { directory, env, progress }) {
  if (findOnPath('go', env).length === 0) {
    throw new FatalError(
      `No ${tool.binary}: not on PATH, not in the cache, nothing ready-made in reach, and no Go ` +
        `to build it. Install Go or ${tool.binary}, or set ${tool.urlSetting}.`,
    )
  }
  const output = join(directory, tool.binary)
  await progress.step(tool.name, `building ${tool.goPackage} ${tool.version} with Go`, () =>
    run('go', ['build', '-ldflags=-s -w', '-o', output, tool.goPackage], {
      cwd: join(root, 'deploy/local', tool.name),
      env: { ...env, GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' },
    }),
  )
  return output
}
