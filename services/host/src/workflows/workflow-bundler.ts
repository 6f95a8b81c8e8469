import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode } from '@temporalio/worker'

const interceptors = fileURLToPath(new URL('./workflow-interceptors.ts', import.meta.url))
const ownModules = fileURLToPath(new URL('../../node_modules', import.meta.url))

/**
 * Bundles workflow modules (URLs), through an entry file that exports all of them. Runs as a child
 * process: webpack uses a core for seconds and keeps its memory, and crashes in a worker thread.
 */
async function bundle(modules: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-workflows-'))
  const entry = join(folder, 'workflows.mjs')
  try {
    const lines = modules.map((url) => `export * from '${fileURLToPath(url)}'`)
    await writeFile(entry, lines.join('\n'))
    const { code } = await bundleWorkflowCode({
      workflowsPath: entry,
      workflowInterceptorModules: [interceptors],
      // The entry file is outside any package, so imports are also resolved from this package's
      // folder.
      webpackConfigHook: ({ resolve, ...config }) => ({
        ...config,
        // Without the source texts, because stack traces need positions only.
        devtool: 'inline-nosources-source-map',
        resolve: { ...resolve, modules: [...(resolve?.modules ?? ['node_modules']), ownModules] },
      }),
      logger: { trace, debug: trace, info: trace, warn: trace, error: trace, log: trace },
    })
    return escaped(code)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Escapes characters beyond Latin-1. A single such character makes V8 store a text with two bytes a
 * character, and a process holds the bundle's text four times.
 */
function escaped(code: string): string {
  return code.replace(
    /[^\0-\xff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function trace(): void {
  // Webpack's progress is not logged; a failed build throws.
}

process.send?.(await bundle(process.argv.slice(2)), () => process.disconnect())
