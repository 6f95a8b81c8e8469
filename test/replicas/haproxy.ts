import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@coffer/host/testing/boot'
import type { Target } from '@coffer/local/balancer'
import { freePorts } from '@coffer/local/ports'

/**
 * Starts HAProxy over gateways, with rules like those of our own balancer: probes each second, two
 * failures take a gateway out, no repetitions. Throws an error that names the package if it is
 * missing.
 */
export async function startHaproxy(targets: Target[]): Promise<AsyncDisposable & { url: string }> {
  const stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'coffer-haproxy-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const [port = 0] = await freePorts(1)
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, configOf(port, targets))
  const child = spawn('haproxy', ['-f', file, '-db'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr.on('data', (chunk) => {
    text += chunk
  })
  const fault = await Promise.race([
    once(child, 'spawn').then(() => null),
    once(child, 'error').then(([error]) => error as NodeJS.ErrnoException),
  ])
  if (fault) throw new Error(`haproxy (${fault.code}): install the Debian package haproxy`)
  stack.defer(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  const isServing = async () => {
    if (child.exitCode !== null) throw new Error(text)
    const answer = await fetch(`${url}/api/health`).catch(() => null)
    return answer?.status === 200
  }
  await eventually(isServing, Boolean)
  return { url, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function configOf(port: number, targets: Target[]): string {
  const servers = targets.map(({ url, probeUrl }, index) => {
    const check = `check port ${new URL(probeUrl).port} inter 1s fall 2 rise 1`
    return `  server gateway${index} ${new URL(url).host} ${check}`
  })
  return `
defaults
  mode http
  retries 0
  no option redispatch
  timeout connect 2s
  timeout client 60s
  timeout server 60s
listen gateways
  bind 127.0.0.1:${port}
  balance leastconn
  option httpchk GET /readyz
${servers.join('\n')}
`
}
