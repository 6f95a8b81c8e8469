import { rmSync } from 'node:fs'
import { join } from 'node:path'

// sun_path of macOS, the shortest of the supported systems, without its final zero byte.
const pathBytesMax = 103

/**
 * Directory of a Unix socket for Postgres, which is faster than its TCP port. Null on Windows, and
 * where the path is too long or needs quoting.
 */
export function socketDirectory(home: string, port: number): string | null {
  const fits = Buffer.byteLength(join(home, socketName(port))) <= pathBytesMax
  return process.platform !== 'win32' && fits && /^[\w./-]+$/.test(home) ? home : null
}

/** The URL of the same database over the Unix socket. */
export function overSocket(url: string, directory: string): string {
  const { port } = new URL(url)
  return url.replace(`@127.0.0.1:${port}/`, `@${encodeURIComponent(directory)}:${port}/`)
}

/** Removes the socket of a killed server. Its lock may name a process ID that is in use again. */
export function removeSocket(directory: string, port: number): void {
  const path = join(directory, socketName(port))
  rmSync(path, { force: true })
  rmSync(`${path}.lock`, { force: true })
}

function socketName(port: number): string {
  return `.s.PGSQL.${port}`
}
