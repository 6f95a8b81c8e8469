import { rmSync } from 'node:fs'
import { join } from 'node:path'

// What the shortest of the systems' limits (macOS) leaves for a path.
const pathBytesMax = 103

/**
 * Where Postgres listens besides its port: a Unix socket spares both sides of every statement the
 * way through the network. Null where there can be none: on Windows, and where the path would be
 * too long or need quoting.
 */
export function socketDirectory(home: string, port: number): string | null {
  const fits = Buffer.byteLength(join(home, socketName(port))) <= pathBytesMax
  return process.platform !== 'win32' && fits && /^[\w./-]+$/.test(home) ? home : null
}

/** The URL with the socket in place of host and port. */
export function overSocket(url: string, directory: string): string {
  const { port } = new URL(url)
  return url.replace(`@127.0.0.1:${port}/`, `@${encodeURIComponent(directory)}:${port}/`)
}

/** Removes what a killed server left: its lock may name a process that is another one by now. */
export function removeSocket(directory: string, port: number): void {
  const path = join(directory, socketName(port))
  rmSync(path, { force: true })
  rmSync(`${path}.lock`, { force: true })
}

function socketName(port: number): string {
  return `.s.PGSQL.${port}`
}
