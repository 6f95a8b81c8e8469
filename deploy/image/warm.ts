import { globSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Loads the modules of Coffer, so that Node writes them to its compile cache (NODE_COMPILE_CACHE):
// without their types, and compiled. Runs while an image is built, as the user of the image.
// Argument: the root of the workspace.
const root = process.argv[2] ?? ''

/** Modules that run something when they are loaded, and those of Temporal's sandbox. */
const unloadable = /\.workflow\.ts$|\/(coffer|commands\/start|workflow-bundler)\.ts$/

const paths = globSync('{services/*,gateway,deploy/cli}/src/**/*.ts', { cwd: root })
for (const path of paths.filter((one) => !unloadable.test(one)).sort()) {
  await import(pathToFileURL(join(root, path)).href)
}
flushCompileCache()
// Some modules start timers or threads.
process.exit(0)
