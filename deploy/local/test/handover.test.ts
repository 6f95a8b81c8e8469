import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { processIdentity } from '../bootstrap/process-identity.mjs'
import { scratchDirectory, until } from './scratch.ts'

const bootstrap = join(import.meta.dirname, '../bootstrap')

/** Starts a process that runs a script through `continueUnderNode24`, as the npm scripts do. */
function handOver(directory: string, script: string) {
  const target = join(directory, 'target.mjs')
  const caller = join(directory, 'caller.mjs')
  writeFileSync(target, script)
  writeFileSync(
    caller,
    `import { continueUnderNode24 } from ${JSON.stringify(join(bootstrap, 'handover.mjs'))}
    const script = ${JSON.stringify(`file://${target}`)}
    process.exitCode = await continueUnderNode24({ script, args: ['a', 'b c'], env: process.env })`,
  )
  return spawn(process.execPath, [caller], { stdio: ['ignore', 'pipe', 'inherit'] })
}

test('the script gets the arguments, and its exit code is returned', async () => {
  using scratch = scratchDirectory()
  const output = join(scratch.path, 'output')
  const caller = handOver(
    scratch.path,
    `import { writeFileSync } from 'node:fs'
    const report = { args: process.argv.slice(2), node: process.versions.node.split('.')[0] }
    writeFileSync(${JSON.stringify(output)}, JSON.stringify(report))
    process.exit(7)`,
  )
  const [code] = await once(caller, 'exit')
  expect(code).toBe(7)
  expect(JSON.parse(readFileSync(output, 'utf8'))).toEqual({ args: ['a', 'b c'], node: '24' })
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s is forwarded', async (signal) => {
  using scratch = scratchDirectory()
  const caller = handOver(
    scratch.path,
    `process.on('${signal}', () => process.exit(9))
    process.on('disconnect', () => {})
    console.log('ready')`,
  )
  await once(caller.stdout, 'data')
  caller.kill(signal)
  const [code] = await once(caller, 'exit')
  expect(code).toBe(9)
})

test('the script notices that its caller was killed', async () => {
  using scratch = scratchDirectory()
  const caller = handOver(
    scratch.path,
    `process.on('disconnect', () => process.exit(0))
    console.log(process.pid)`,
  )
  const [line] = await once(caller.stdout, 'data')
  const pid = Number(String(line))
  expect(processIdentity(pid)).not.toBeNull()
  caller.kill('SIGKILL')
  await until(() => processIdentity(pid) === null)
})
