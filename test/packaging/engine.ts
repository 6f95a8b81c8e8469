import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { findOnPath } from '@coffer/local/bootstrap/find-on-path.mjs'
import { cacheDirectory, root } from '@coffer/local/bootstrap/paths.mjs'

/** Tools that build and run images; each is a package of Debian of the same name. */
const tools = ['buildah', 'podman', 'runc', 'mmdebstrap']

// Images and containers of these tests, apart from those of the machine's user.
const storage = join(cacheDirectory(process.env), 'images')
const place = ['--root', join(storage, 'root'), '--runroot', join(storage, 'run')]
const driver = ['--storage-driver', 'overlay']
const cgroups = ['--cgroup-manager', 'cgroupfs', '--runtime', 'runc']

const settingsFile = join(storage, 'containers.conf')
const outputBytesMax = 256 * 1024 * 1024

/** Throws FatalError naming the missing tools and how to get them. */
export function requireEngine(): void {
  const missing = tools.filter((tool) => findOnPath(tool, process.env).length === 0)
  if (missing.length > 0) {
    throw new FatalError(
      `Missing: ${missing.join(', ')}. On Debian: apt-get install ${missing.join(' ')}`,
    )
  }
  if (process.getuid?.() !== 0) {
    throw new FatalError('Images are built and run by root here: run this test as root.')
  }
  mkdirSync(storage, { recursive: true, mode: 0o700 })
  // Limits that also a root without CAP_SYS_RESOURCE may set.
  const limits = 'default_ulimits=["nofile=1024:1024","nproc=4096:4096"]'
  writeFileSync(settingsFile, `[containers]\n${limits}\n[engine]\nevents_logger="file"\n`)
}

/** Builds the image from the Dockerfile, on a local base image. Returns the name of the image. */
export async function buildImage(labels: Record<string, string>): Promise<string> {
  const script = join(root, 'test/packaging/base-image.sh')
  await run(script, [storage, join(cacheDirectory(process.env), 'image-downloads')])
  const name = 'localhost/coffer:test'
  const given = Object.entries(labels).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
  const dockerfile = ['--file', join(root, 'deploy/image/Dockerfile')]
  // HEALTHCHECK is part of Docker's format alone.
  const kind = ['--isolation', 'chroot', '--layers', '--format', 'docker', '--pull-never']
  const options = [...kind, ...secrets(), ...given, ...dockerfile, '--tag', name, root]
  await run('buildah', [...place, ...driver, 'bud', ...options])
  return name
}

/** Returns the build's secrets: this machine's configuration of npm, and its certificates. */
function secrets(): string[] {
  const files = { npmrc: join(homedir(), '.npmrc'), ca: process.env.NODE_EXTRA_CA_CERTS ?? '' }
  const present = Object.entries(files).filter(([, path]) => existsSync(path))
  return present.flatMap(([id, path]) => ['--secret', `id=${id},src=${path}`])
}

/** Runs podman; returns its standard output. Throws FatalError with its output when it fails. */
export function podman(...args: string[]): Promise<string> {
  return run('podman', [...place, ...driver, ...cgroups, ...args])
}

/** Runs a command of podman; returns its exit code and all its output. */
export async function tryPodman(...args: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, CONTAINERS_CONF: settingsFile }
  const options = { env, maxBuffer: outputBytesMax }
  try {
    const all = [...place, ...driver, ...cgroups, ...args]
    const { stdout, stderr } = await promisify(execFile)('podman', all, options)
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
    if (typeof code !== 'number') throw error
    return { code, output: stdout + stderr }
  }
}

async function run(command: string, args: string[]): Promise<string> {
  const env = { ...process.env, CONTAINERS_CONF: settingsFile }
  try {
    return (await promisify(execFile)(command, args, { env, maxBuffer: outputBytesMax })).stdout
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
    const tail = `${stdout ?? ''}${stderr ?? ''}`.slice(-4_000)
    throw new FatalError(`${command} ${args.join(' ')}: ${tail || message}`)
  }
}
