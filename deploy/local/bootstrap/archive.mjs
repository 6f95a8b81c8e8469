// @ts-check
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { FatalError } from './fatal-error.mjs'
import { isExecutable } from './find-on-path.mjs'
import { run } from './run.mjs'

const connectTimeoutMs = 5_000
const downloadTimeoutMs = 5 * 60_000

/** @typedef {import('./tool-table.mjs').Tool} Tool */

/**
 * Downloads the official release archive, verifies its checksum and unpacks it.
 *
 * @param {Tool} tool
 * @param {{ directory: string, progress: import('./progress.mjs').Progress }} deps
 * @returns {Promise<string | null>} path of the binary inside the directory; null when the archive
 *   cannot be downloaded or its checksum differs; a progress line states the reason
 */
export async function fetchArchive(tool, { directory, progress }) {
  const goPlatform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const url = tool.archive(goPlatform)
  try {
    return await progress.step(tool.name, `fetching ${url}`, async () => {
      const wanted = tool.pinned[goPlatform] ?? (await publishedChecksum(tool, basename(url)))
      const archive = await download(url)
      if (createHash('sha256').update(archive).digest('hex') !== wanted) {
        throw new FatalError(`the checksum of ${url} is not ${wanted}`)
      }
      return await unpack(archive, { name: basename(url, '.tar.gz'), tool, directory })
    })
  } catch (error) {
    progress.say(tool.name, `no release archive: ${reason(error)}`)
    return null
  }
}

/**
 * @param {Tool} tool
 * @param {string} file
 */
async function publishedChecksum({ checksums }, file) {
  if (checksums === null) throw new FatalError(`no checksum is known for ${file}`)
  const list = (await download(checksums)).toString('utf8')
  const line = list.split('\n').find((entry) => entry.trim().split(/\s+\*?/)[1] === file)
  const checksum = line?.trim().split(/\s+/)[0]
  if (checksum === undefined) throw new FatalError(`${checksums} does not list ${file}`)
  return checksum
}

/** @param {string} url */
async function download(url) {
  const controller = new AbortController()
  let timer = setTimeout(() => controller.abort(), connectTimeoutMs)
  try {
    const response = await fetch(url, { signal: controller.signal })
    if (!response.ok) throw new FatalError(`${url} answered ${response.status}`)
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort(), downloadTimeoutMs)
    return Buffer.from(await response.arrayBuffer())
  } finally {
    clearTimeout(timer)
  }
}

/**
 * @param {Buffer} archive
 * @param {{ name: string, tool: Tool, directory: string }} target
 */
async function unpack(archive, { name, tool, directory }) {
  const file = join(directory, 'archive.tar.gz')
  writeFileSync(file, archive)
  await run('tar', ['-xzf', file, '-C', directory], { env: process.env })
  const places = [join(directory, tool.binary), join(directory, name, tool.binary)]
  const found = places.find(isExecutable)
  if (found === undefined) throw new FatalError(`the archive holds no ${tool.binary}`)
  return found
}

/** @param {unknown} error */
function reason(error) {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause.message : error.message
  return error.name === 'AbortError' ? 'it took too long to connect or to download' : cause
}
