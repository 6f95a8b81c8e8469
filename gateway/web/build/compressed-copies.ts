import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Files below this size are sent as they are: compressed ones would hardly be smaller. */
const bytesMin = 1_024

/**
 * Writes copies `.br` (RFC 7932) and `.gz` (RFC 1952) beside the text files of the folder. Both are
 * needed: browsers accept Brotli only over TLS, so a home server without TLS sends gzip.
 */
export async function compressFiles(folder: string): Promise<void> {
  const paths = globSync('assets/*.{js,css,svg}', { cwd: folder })
  await Promise.all(
    paths.map(async (path) => {
      const file = join(folder, path)
      const bytes = await readFile(file)
      if (bytes.length < bytesMin) return
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
      await Promise.all([
        promisify(brotliCompress)(bytes, { params }).then((made) => writeFile(`${file}.br`, made)),
        promisify(gzip)(bytes, { level: 9 }).then((made) => writeFile(`${file}.gz`, made)),
      ])
    }),
  )
}
