// The coffer command in the image: uses the compile cache of the build, then runs the command.
// JavaScript, so that Node does not load its TypeScript compiler (17 MB) for this file.
import { mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'

const built = fileURLToPath(new URL('../cli/node_modules/.cache/compiled', import.meta.url))

/**
 * Returns the folder of the compile cache. Node looks in it for a folder whose name has the user's
 * ID and the features of the processor, although the files fit every user and processor. Where
 * these differ from those at the build, returns a folder with a link of the expected name.
 */
function cacheFolder() {
  const features = cachedDataVersionTag().toString(16).padStart(8, '0')
  const name = `${process.version}-${process.arch}-${features}-${process.getuid?.()}`
  const [made] = readdirSync(built)
  if (made === undefined || made === name) return built
  const folder = mkdtempSync(join(tmpdir(), 'coffer-compiled-'))
  symlinkSync(join(built, made), join(folder, name))
  return folder
}

const folder = cacheFolder()
// Worker threads find the compile cache by this environment variable.
process.env.NODE_COMPILE_CACHE = folder
enableCompileCache(folder)
await import('../cli/src/coffer.ts')
