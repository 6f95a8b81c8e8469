import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceNames } from '@coffer/cli/settings/service-names'
import { deployment } from '@coffer/cli/testing/deployment'
import { freePorts } from '@coffer/local/ports'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Container, startContainer, type Usage } from './container.ts'
import { buildImage, podman, requireEngine, tryPodman } from './engine.ts'
import { filesBelow, isForeign } from './image-files.ts'

// Builds the image on a stand-in for its base image (base-image.sh), and runs it with podman.

type Settings = Record<string, string>

const bytesMax = 150 * 1000 * 1000
const labels = { VERSION: '1.2.3', REVISION: 'abc', CREATED: '2026-11-25T00:00:00Z' }
/** The user of the image. */
const uid = 1000

let image = ''
let mount = ''

beforeAll(async () => {
  requireEngine()
  image = await buildImage(labels)
  mount = (await podman('image', 'mount', image)).trim()
}, 900_000)

afterAll(async () => {
  if (mount !== '') await podman('image', 'unmount', image)
})

test('its compressed layers take at most 150 MB', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-image-'))
  try {
    // An OCI layout compresses the layers with gzip, as a push to a registry does.
    await podman('push', '--quiet', image, `oci:${folder}`)
    const sizes = layerSizes(folder)
    console.log(`compressed layers in bytes: ${sizes.join(', ')}`)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bytesMax)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('it runs as a user without rights, and has a health check and labels', async () => {
  const [inspected] = JSON.parse(await podman('image', 'inspect', image))
  expect(inspected.User).toBe('node')
  expect(inspected.Config.Entrypoint).toEqual(['coffer'])
  expect(inspected.Healthcheck.Test).toEqual(['CMD', 'coffer-ready'])
  expect(inspected.Labels).toMatchObject({
    'org.opencontainers.image.title': 'Coffer',
    'org.opencontainers.image.version': '1.2.3',
    'org.opencontainers.image.revision': 'abc',
    'org.opencontainers.image.created': '2026-11-25T00:00:00Z',
  })
  expect(inspected.Config.Env.join('\n')).not.toMatch(/TOKEN|SECRET|PASSWORD|EXTRA_CA/)
})

describe('its files', () => {
  test('belong to this platform', () => {
    const all = ['app', 'usr', 'data'].flatMap((folder) => filesBelow(mount, folder))
    expect(all.filter((path) => isForeign(join(mount, path)))).toEqual([])
  })

  test('are no tests, source maps, credentials or parts of the tool chain', () => {
    const all = filesBelow(mount, 'app')
    const data = 'app/test/data/checking.qfx'
    const bad = /\.map$|\.test\.ts$|\/(test|__tests__)\/|\.npmrc$|\.pem$|\.key$|\.git\//
    expect(all.filter((path) => bad.test(path) && path !== data)).toEqual([])
    expect(all.filter((path) => /^app\/[a-z/-]+\/testing\//.test(path))).toEqual([])
    const packages = readdirSync(join(mount, 'app/node_modules/.pnpm'))
    const tools = /^(webpack|memfs|@swc|typescript|jest|@biomejs|@bufbuild\+buf|@embedded|node-)/
    expect(packages.filter((name) => tools.test(name))).toEqual([])
    const home = ['root', 'home/node', 'tmp', 'run/secrets'].flatMap((folder) =>
      statSync(join(mount, folder), { throwIfNoEntry: false }) ? filesBelow(mount, folder) : [],
    )
    expect(home.filter((path) => !/\/\.(bashrc|profile|bash_logout)$/.test(path))).toEqual([])
  })

  test('cannot be written by the user of the image', () => {
    const own = filesBelow(mount, 'app').filter((path) => {
      const { uid: owner, mode } = statSync(join(mount, path))
      return owner !== 0 || (mode & 0o022) !== 0
    })
    expect(own).toEqual([])
  })

  test('are all in the software bill of materials', async () => {
    const bill = JSON.parse(readFileSync(join(mount, 'usr/share/coffer/sbom.cdx.json'), 'utf8'))
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'coffer' } },
    })
    const listed = new Set<string>(bill.components.map(({ purl }: { purl: string }) => purl))
    const store = 'app/node_modules/.pnpm'
    const manifests = filesBelow(mount, store).filter((path) =>
      /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path.slice(store.length)),
    )
    const missing = manifests.flatMap((path) => {
      const {
        name,
        version,
        private: isPrivate,
      } = JSON.parse(readFileSync(join(mount, path), 'utf8'))
      const purl = `pkg:npm/${name?.replace('@', '%40')}@${version}`
      return name === undefined || isPrivate === true || listed.has(purl) ? [] : [path]
    })
    expect(missing).toEqual([])
    const query = [
      '--admindir',
      join(mount, 'var/lib/dpkg'),
      '--show',
      `--showformat=\${Package}\\n`,
    ]
    const debian = execFileSync('dpkg-query', query, { encoding: 'utf8' }).trim().split('\n')
    const names = [...listed].map((purl) => /^pkg:deb\/debian\/([^@]+)/.exec(purl)?.[1])
    expect(debian.filter((name) => !names.includes(name))).toEqual([])
  })
})

describe('a gateway and the services, in containers with a read-only root', () => {
  const stack = new AsyncDisposableStack()
  let services: Container
  let gateway: Container
  let baseUrl = ''
  let gatewayStart: Usage
  let start: (memory: string, more: Settings, words: string[]) => Promise<Container>

  beforeAll(async () => {
    const { env } = stack.use(await deployment())
    const data = mkdtempSync(join(tmpdir(), 'coffer-data-'))
    stack.defer(() => rmSync(data, { recursive: true }))
    chownSync(data, uid, uid)
    const shared = { ...env, COFFER_DATA_DIR: '/data', COFFER_LAME_DUCK_SECONDS: '1' }
    start = async (memory, more, words) => {
      const settings = { ...shared, ...more }
      return startContainer({ image, data, memory, settings, words })
    }
    await using keys = await start('128m', {}, ['keys:create'])
    expect(await keys.ended()).toBe(0)
    const watched = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    services = stack.use(await start('512m', watched, ['serve', ...serviceNames]))
    await services.ready(env.COFFER_RPC_PORT ?? '')
    report('services ready', services)
    const [port, rpcPort, grpcPort] = await freePorts(3)
    baseUrl = `http://127.0.0.1:${port}`
    const ports = {
      COFFER_PORT: `${port}`,
      COFFER_RPC_PORT: `${rpcPort}`,
      COFFER_GRPC_PORT: `${grpcPort}`,
    }
    const urls = urlsOfServices(`http://127.0.0.1:${env.COFFER_RPC_PORT}`)
    const begin = performance.now()
    gateway = stack.use(
      await start('256m', { ...watched, ...urls, ...ports }, ['serve', 'gateway']),
    )
    await gateway.ready(`${rpcPort}`)
    gatewayStart = gateway.usage()
    const seconds = (performance.now() - begin) / 1_000
    report('gateway ready', gateway, `after ${seconds.toFixed(1)} s, container included`)
  })

  afterAll(() => stack.disposeAsync())

  test('the gateway is ready within 3 s of a processor', () => {
    // The time of the processor, because that of the clock depends on the machine's load. It is 2 s
    // at most, and more only while other processes use the same caches.
    expect(gatewayStart.cpuSeconds).toBeLessThan(3)
  })

  test('are healthy', async () => {
    expect([await gateway.isHealthy(), await services.isHealthy()]).toEqual([true, true])
    expect((await fetch(`${baseUrl}/api/health`)).status).toBe(200)
  })

  test.each(['', '/errors', '/feed', '/operations/listLinks', '/assets/reference.js'])(
    'have the reference%s',
    async (path) => {
      expect((await fetch(`${baseUrl}/api/reference${path}`)).status).toBe(200)
    },
  )

  test('serve the demo household, whose import is a workflow of the bundle', async () => {
    await using demo = await start('128m', {}, ['demo', '--url', baseUrl])
    const code = await demo.ended()
    expect({ code, output: code === 0 ? '' : await demo.output() }).toEqual({ code: 0, output: '' })
    report('gateway with the demo', gateway)
    report('services with the demo', services)
  })

  test('have compiled none of their own modules', async () => {
    for (const one of [gateway, services]) expect(missesIn(await one.output())).toEqual([])
  })

  test('compile nothing as another user either, whose cache has another name', async () => {
    const user = ['--rm', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--user', '4321']
    const watched = ['--health-interval', 'disable', '--env', 'NODE_DEBUG_NATIVE=COMPILE_CACHE']
    const { output } = await tryPodman('run', ...user, ...watched, image, 'config')
    expect(output).toMatch(/^COFFER_PORT +4000/m)
    expect(missesIn(output)).toEqual([])
  })

  test('cannot write outside of their data and /tmp', async () => {
    const { code } = await gateway.exec('sh', '-c', 'touch /app/x || touch /usr/x || touch ~/x')
    expect(code).not.toBe(0)
    expect((await gateway.exec('sh', '-c', 'touch /tmp/x /data/x')).code).toBe(0)
  })

  test('are process 1, drain on SIGTERM and end with 0', async () => {
    const { output } = await gateway.exec('readlink', '/proc/1/exe')
    expect(output.trim()).toBe('/usr/local/bin/node')
    await gateway.stop()
    const during = await fetch(`${baseUrl}/api/health`)
    expect(during.headers.get('connection')).toBe('close')
    expect(await gateway.ended()).toBe(0)
    await services.stop()
    expect(await services.ended()).toBe(0)
  })
})

/**
 * Returns the lines that Node writes about modules of Coffer that are not in its compile cache.
 * Fails when few are in it: the lines are then not those of Node any more.
 */
function missesIn(output: string): string[] {
  const own = 'file:///app/(deploy|gateway|proto|services)/'
  const miss = new RegExp(`(${own}.* (was not initialized|was rejected))|(no transpile .*${own})`)
  const lines = output.split('\n')
  const hit = new RegExp(`${own}.* was accepted`)
  expect(lines.filter((line) => hit.test(line)).length).toBeGreaterThan(20)
  return lines.filter((line) => miss.test(line))
}

function urlsOfServices(url: string): Settings {
  const variables = serviceNames.map((name) => name.replaceAll('-', '_').toUpperCase())
  return Object.fromEntries(variables.map((variable) => [`COFFER_${variable}_URL`, url]))
}

/** Prints measured figures, for docs/self-hosting.md. */
function report(what: string, container: Container, more = ''): void {
  const { cpuSeconds, memoryMax } = container.usage()
  const mib = (memoryMax / 2 ** 20).toFixed(0)
  console.log(`${what}: ${cpuSeconds.toFixed(2)} s of CPU, at most ${mib} MiB ${more}`)
}

/** Returns the sizes of the layers in an OCI image layout, in bytes. */
function layerSizes(folder: string): number[] {
  const blob = (digest: string) => join(folder, 'blobs', digest.replace(':', '/'))
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
  const manifest = JSON.parse(readFileSync(blob(index.manifests[0].digest), 'utf8'))
  return manifest.layers.map(({ size }: { size: number }) => size)
}
