import { globSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Loads the modules of Coffer, so that Node writes them to its compile cache (NODE_COMPILE_CACHE),
// with types stripped and compiled. Runs while an image is built, as the user of the image.
// Argument: the root of the workspace.
const root = process.argv[2] ?? ''

/** Modules that act when they are loaded, and modules of Temporal's sandbox. */
const unloadable = /\.workflow\.ts$|\/(coffer|commands\/start|workflow-bundler)\.ts$/

const paths = globSync('{services/*,gateway,deploy/cli}/src/**/*.ts', { cwd: root })
for (const path of paths.filter((one) => !unloadable.test(one)).sort()) {
  await import(pathToFileURL(join(root, path)).href)
}
flushCompileCache()
// Explicit exit, because some modules start timers or threads.
process.exit(0)
