import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { installTool } from './install.ts'
import { tools } from './tool-list.ts'

// `npm run tools`: puts the tools that check the chart into the machine's cache. The control plane
// of Kubernetes is the last of them, because its build takes longest.
await runScript(async (stop) => {
  // The exit kills the running build.
  stop.addEventListener('abort', () => process.exit(1))
  const named = process.argv.slice(2)
  const unknown = named.filter((name) => !tools.some((tool) => tool.name === name))
  if (unknown.length > 0) {
    throw new FatalError(
      `No tool ${unknown.join(', ')}: one of ${tools.map(({ name }) => name).join(', ')}.`,
    )
  }
  const progress = createProgress()
  for (const tool of tools) {
    if (named.length > 0 && !named.includes(tool.name)) continue
    await installTool(tool, { env: process.env, progress })
  }
  return 0
})
